import { firstWait, project, timeOfArrival } from "./bucket.js";
import { calendarRefill } from "./calendar.js";
import { checkFieldValues, parseCalendar } from "./checks.js";
import {
  calendarOf,
  toRateLimitConfig,
  toStored,
  type LimitConfig,
  type ShownConfig,
} from "./config.js";
import { snapped } from "./limit.js";
import { projectionOf, type GetValueReturns } from "./value.js";

/**
 * Projects the state of a limit to a time and subtracts `count` tokens. It stores nothing: use it
 * in clients, to show a balance that changes as time passes. On the server use
 * {@link RateLimiter.check} instead.
 *
 * @param state The whole result of `getValue`, or null for a limit that is full.
 * @param config The whole limit's config, as `getValue` returns it.
 * @param now The time to project to, in ms, by the server's clock.
 * @param count The tokens to subtract. Default 0.
 * @returns `value`: the balance after that, negative if there are too few tokens. `ts`: the time of
 * that balance (for a fixed window, the start of its window, also returned as `windowStart`).
 * `retryAfter`: ms until a request for `count` would be granted; if `count` exceeds the capacity,
 * until a debt of that size is paid; undefined if the request would be granted now.
 * @throws An `Error` that names the field and the value of a bad config.
 */
export function calculateRateLimit(
  state: Pick<GetValueReturns<ShownConfig>, "value" | "ts" | "phases"> | null,
  config: LimitConfig,
  now: number,
  count: number = 0,
): {
  value: number;
  ts: number;
  retryAfter: number | undefined;
  windowStart: number | undefined;
} {
  const stored = toStored(config);
  checkFieldValues("", stored);
  const calendar = calendarOf(stored);
  const exactRefill = calendar && calendarRefill(parseCalendar("", calendar));
  const rateLimitConfig = toRateLimitConfig(stored);
  const projection = projectionOf(state, rateLimitConfig, exactRefill);
  const { limit, balanceAt } = projection.phaseAt(now);
  const balance = balanceAt(now);
  const value = snapped(limit, balance.value - count);
  const { ts } = balance;
  const windowStart = rateLimitConfig.kind === "fixed window" ? ts : undefined;
  const wait = projection.waitFor(count, now);
  const { whole, tolerance } = limit;
  const isTooMuch = count > whole.capacity + tolerance;
  if (wait !== Infinity || !isTooMuch) {
    const retryAfter = wait === 0 ? undefined : wait;
    return { value, ts, retryAfter, windowStart };
  }
  const debt = { value, ts };
  const untilPaid = firstWait(
    (ms) => project(whole, debt, now + ms).value >= -tolerance,
    timeOfArrival(whole, debt, -value) - now,
  );
  return { value, ts, retryAfter: untilPaid ?? Infinity, windowStart };
}
