import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";

type Listed = FunctionReturnType<typeof api.operators.list>["page"][number];
type Override = FunctionReturnType<typeof api.operators.listOverrides>[number];

/** What an operator can do with a key. */
export type Action = "reset" | "ban" | "raise" | "clear";

/** One key of the table. */
export type OperatedKey = {
  key: string;
  /** Absent for a key with an override that has not been used. */
  use?: { balance: number; capacity: number; usedAt: number };
  state: "ok" | "limited" | "banned" | "raised";
  /** When a ban ends. */
  expiresAt: number | undefined;
};

/** The keys in use, then those that have nothing but an override. */
export function mergeOverrides(
  listed: readonly Listed[],
  overrides: readonly Override[],
): OperatedKey[] {
  const byKey = new Map(overrides.map((o) => [o.key, o]));
  const used = listed.flatMap(
    ({ key, balance, capacity, usedAt, limited }): OperatedKey[] => {
      if (key === undefined) return [];
      const override = byKey.get(key);
      byKey.delete(key);
      return [
        {
          key,
          use: { balance, capacity: capacity ?? balance, usedAt },
          state: stateOf(override) ?? (limited ? "limited" : "ok"),
          expiresAt: override?.expiresAt,
        },
      ];
    },
  );
  const unused = [...byKey.values()].flatMap((override): OperatedKey[] =>
    override.key === undefined
      ? []
      : [
          {
            key: override.key,
            state: stateOf(override) ?? "ok",
            expiresAt: override.expiresAt,
          },
        ],
  );
  return [...used, ...unused];
}

function stateOf(
  stored: Override | undefined,
): "banned" | "raised" | undefined {
  if (stored === undefined) return undefined;
  return "deny" in stored.override ? "banned" : "raised";
}
