import {
  project,
  settle,
  timeUntilPaid,
  toleranceOf,
  type State,
} from "./algebra.js";
import { parseLimit, type RateLimitConfig } from "./config.js";

/**
 * Projects the state of a limit to a time and takes `count` tokens from it, on
 * paper. For clients, which show a balance that changes while nothing is stored.
 * On the server ask {@link RateLimiter.check} instead.
 *
 * @param state What `getValue` returned, or null for a limit that is full.
 * @param config The whole limit's config, as `getValue` returns it.
 * @param now The time to project to, in ms, by the server's clock.
 * @param count The tokens to take. Default 0.
 * @returns `value`: the balance then, negative if it does not suffice. `ts`: the
 * time of that balance (for a fixed window the start of its window, also given as
 * `windowStart`). `retryAfter`: ms until `value` is back at 0; undefined if it is
 * not negative.
 * @throws An `Error` that names the field and the value of a bad config.
 */
export function calculateRateLimit(
  state: State | null,
  config: RateLimitConfig,
  now: number,
  count: number = 0,
): {
  value: number;
  ts: number;
  retryAfter: number | undefined;
  windowStart: number | undefined;
} {
  const { whole } = parseLimit("", config);
  const balance = project(whole, state, now);
  const after = {
    value: settle(balance.value - count, toleranceOf(whole)),
    ts: balance.ts,
  };
  return {
    ...after,
    retryAfter: after.value < 0 ? timeUntilPaid(whole, after, now) : undefined,
    windowStart: whole.kind === "fixed window" ? after.ts : undefined,
  };
}
