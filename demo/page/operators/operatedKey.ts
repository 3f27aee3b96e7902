import type { FunctionReturnType } from "convex/server";
import { calculateRateLimit, type RateLimitConfig } from "convex-rate-limiter";
import type { api } from "../../convex/_generated/api.js";

type List = FunctionReturnType<typeof api.operators.list>;
type Overrides = FunctionReturnType<typeof api.operators.listOverrides>;

/** What an operator can do with a key. */
export type Action = "reset" | "ban" | "raise" | "clear";

type Change = {
  kind: "banned" | "raised";
  expiresAt: number | undefined;
  /** Of a ban: which one in a row it is. */
  ban?: number | undefined;
};

/** One key of the table. */
export type OperatedKey = {
  key: string;
  title: string;
  /** Those that hold, a ban before what it stands over. */
  overrides: Change[];
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
  const byKey = new Map<string | undefined, Overrides>();
  for (const stored of overrides) {
    const { key } = stored;
    byKey.set(key, [...(byKey.get(key) ?? []), stored]);
  }
  const used = list.page.map(({ key, balance, usedAt }) => {
    const stored = byKey.get(key) ?? [];
    byKey.delete(key);
    let config = list.config;
    for (const { override } of stored) {
      if ("config" in override) config = { ...config, ...override.config };
    }
    const use = { value: balance, ts: list.listedAt, config, usedAt };
    return { key, overrides: changesOf(stored), use };
  });
  const unused = [...byKey].map(([key, stored]) => ({
    key,
    overrides: changesOf(stored),
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

function changesOf(stored: Overrides): Change[] {
  const changes = stored.map(({ override, expiresAt, bans }): Change =>
    "deny" in override
      ? { kind: "banned", expiresAt, ban: bans }
      : { kind: "raised", expiresAt },
  );
  return changes.sort((a, b) => a.kind.localeCompare(b.kind));
}

/** What to call a key, if it belongs to the session. */
function titleOf(key: string | undefined, session: string): string | undefined {
  if (key === session) return "You";
  const prefix = `${session}/`;
  return key?.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}
