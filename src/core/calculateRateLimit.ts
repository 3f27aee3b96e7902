import {
  calendarOf,
  parseLimit,
  toStored,
  withoutCalendar,
  type RateLimitConfig,
  type ShownConfig,
} from "./config.js";
import { decide, firstGrant, forecast, type Demand } from "./decide.js";
import { settled } from "./limit.js";
import type { Row } from "./rows.js";
import type { Rules } from "./rules.js";
import { balanceUnder, projectionOf, type GetValueReturns } from "./value.js";

/**
 * Projects the state of a limit to a time and takes `count` tokens from it, on
 * paper. For clients, which show a balance that changes while nothing is stored.
 * On the server ask {@link RateLimiter.check} instead.
 *
 * @param state What `getValue` returned, whole, or null for a limit that is full.
 * @param config The whole limit's config, as `getValue` returns it.
 * @param now The time to project to, in ms, by the server's clock.
 * @param count The tokens to take. Default 0.
 * @returns `value`: the balance then, negative if it does not suffice. `ts`: the
 * time of that balance (for a fixed window the start of its window, also given as
 * `windowStart`). `retryAfter`: ms until a request for `count` would be granted, or for more
 * than the capacity until a debt of it is paid; undefined if `value` is not negative.
 * @throws An `Error` that names the field and the value of a bad config.
 */
export function calculateRateLimit(
  state: Pick<GetValueReturns, "value" | "ts" | "rows" | "rules"> | null,
  config: RateLimitConfig | ShownConfig,
  now: number,
  count: number = 0,
): {
  value: number;
  ts: number;
  retryAfter: number | undefined;
  windowStart: number | undefined;
} {
  const stored = toStored(config);
  const { arrivals } = parseLimit("", stored).whole;
  const known = state ?? { value: 0, ts: 0, rows: [] };
  const isCalendar = calendarOf(stored) !== undefined;
  const { rows, rules } = projectionOf(
    known,
    withoutCalendar(stored),
    now,
    isCalendar ? () => arrivals : undefined,
  );
  const [rule] = rules;
  const { limit } = rule;
  const balance = balanceUnder(rule, rows, now);
  const value = settled(limit, balance.value - count);
  const { ts } = balance;
  const windowStart = limit.kind === "fixed window" ? ts : undefined;
  const isOk = value >= 0 || rule.effect === "unlimited";
  const retryAfter = isOk ? undefined : waitFor(rules, rows, count, now);
  return { value, ts, retryAfter, windowStart };
}

function waitFor(
  rules: Rules,
  rows: readonly Row[],
  count: number,
  now: number,
): number | undefined {
  const demand: Demand = { count, debt: "none", leave: 0, upTo: false };
  const wait = firstGrant(rules, [demand], now, forecast(rows, [demand]));
  if (wait !== undefined) return wait;
  if (rules.at(-1)?.effect === "banned") return Infinity;
  const paid = decide(rules, rows, [{ ...demand, debt: "any" }], now);
  return paid.retryAfter;
}
