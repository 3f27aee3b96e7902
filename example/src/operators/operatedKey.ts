import type { FunctionReturnType } from "convex/server";
import { calculateRateLimit, type RateLimitConfig } from "convex-rate-limiter";
import type { api } from "../../convex/_generated/api.js";

type List = FunctionReturnType<typeof api.operators.list>;
type Overrides = FunctionReturnType<typeof api.operators.listOverrides>;

/** What an operator can do with a key. */
export type Action = "reset" | "ban" | "raise" | "clear";

/** One key of the table. */
export type OperatedKey = {
  key: string;
  title: string;
  override?: { kind: "banned" | "raised"; expiresAt: number | undefined };
  /** Absent for a key with an override that has not been used. */
  use?: { value: number; ts: number; config: RateLimitConfig; usedAt: number };
};

/**
 * The keys of one session: its own and those of the users that it lets send. First those
 * in use, in the order of the list, then those that have nothing but an override.
 */
export function keysOf(
  session: string,
  list: List,
  overrides: Overrides,
): OperatedKey[] {
  const byKey = new Map(overrides.map((stored) => [stored.key, stored]));
  const used = list.page.map(({ key, balance, usedAt }) => {
    const stored = byKey.get(key);
    byKey.delete(key);
    const laidOver =
      stored !== undefined && "config" in stored.override
        ? stored.override.config
        : {};
    const config = { ...list.config, ...laidOver };
    const use = { value: balance, ts: list.listedAt, config, usedAt };
    return { key, override: overrideOf(stored), use };
  });
  const unused = [...byKey.values()].map((stored) => ({
    key: stored.key,
    override: overrideOf(stored),
  }));
  return [...used, ...unused].flatMap(({ key, ...rest }) => {
    const title = titleOf(key, session);
    return key === undefined || title === undefined
      ? []
      : [{ key, title, ...rest }];
  });
}

/** The balance at a time, and the state that it puts the key in unless an override does. */
export function balanceAt(
  { value, ts, config }: NonNullable<OperatedKey["use"]>,
  now: number,
) {
  const balance = calculateRateLimit({ value, ts }, config, now).value;
  const capacity = config.capacity ?? config.rate;
  return { balance, capacity, state: balance < 1 ? "limited" : "ok" };
}

function overrideOf(stored: Overrides[number] | undefined) {
  if (stored === undefined) return undefined;
  const kind: "banned" | "raised" =
    "deny" in stored.override ? "banned" : "raised";
  return { kind, expiresAt: stored.expiresAt };
}

/** What to call a key, if it belongs to the session. */
function titleOf(key: string | undefined, session: string): string | undefined {
  if (key === session) return "You";
  const prefix = `${session}/`;
  return key?.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}
