import { firstTime, project, type State } from "./bucket.js";
import { calendar as calendarArrivals } from "./calendar.js";
import { checkInForce, parseCalendar } from "./checkConfig.js";
import {
  calendarOf,
  toBucket,
  toStored,
  type LimitConfig,
  type ShownConfig,
} from "./config.js";
import { snapped, type ProjectableLimit } from "./limit.js";
import { projectionOf, type GetValueReturns } from "./value.js";

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
 * than the capacity until a debt of it is paid; undefined if it would be granted now.
 * @throws An `Error` that names the field and the value of a bad config.
 */
export function calculateRateLimit(
  state: Pick<GetValueReturns<ShownConfig>, "value" | "ts" | "segments"> | null,
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
  checkInForce("", stored);
  const ofCalendar = calendarOf(stored);
  const calendar =
    ofCalendar && calendarArrivals(parseCalendar("", ofCalendar));
  const bucket = toBucket(stored);
  const projection = projectionOf(state, bucket, calendar);
  const { limit, at } = projection.at(now);
  const balance = at(now);
  const value = snapped(limit, balance.value - count);
  const { ts } = balance;
  const windowStart = bucket.kind === "fixed window" ? ts : undefined;
  const wait = projection.waitFor(count, now);
  if (wait === 0) return { value, ts, retryAfter: undefined, windowStart };
  const isTooMuch = count > limit.whole.capacity + limit.tolerance;
  const retryAfter =
    wait === Infinity && isTooMuch
      ? timeUntilPaid(limit, { value, ts }, now)
      : wait;
  return { value, ts, retryAfter, windowStart };
}

function timeUntilPaid(
  { whole, tolerance }: ProjectableLimit,
  debt: State,
  now: number,
): number {
  const { arrivals, rate } = whole;
  const wait = firstTime(
    (ms) => project(whole, debt, now + ms).value >= -tolerance,
    arrivals.when(debt.ts, -debt.value, rate) - now,
  );
  return wait ?? Infinity;
}
