import {
  project,
  settle,
  timeUntilPaid,
  TOLERANCE,
  toleranceOf,
} from "../core/algebra.js";
import type { Bucket, RateLimitConfig } from "../core/config.js";
import type { GetValueReturns } from "../core/value.js";

/** The balance at a time, and what a request then would come to. */
export type CheckResult = {
  /** The balance after the request; negative if it does not suffice. */
  value: number;
  /**
   * The time of that balance, by the browser's clock, in ms from the epoch; for a
   * fixed window the start of its window.
   */
  ts: number;
  /** The whole limit's config. */
  config: RateLimitConfig;
  /** The row that was read; of a limit that is split, the fullest. */
  shard: number;
  /** Whether the balance suffices. */
  ok: boolean;
  /**
   * When it will suffice, by the browser's clock, in ms from the epoch. `Infinity`
   * if never: the count is above the capacity, or not a number of at least 0.
   * `undefined` if it does.
   */
  retryAt: number | undefined;
};

/**
 * Projects the balance to a time, and takes tokens from it on paper.
 *
 * @param ts By the browser's clock, in ms from the epoch. Default: now.
 * @param count The tokens to take. Default 0: just look.
 * @returns `undefined` while loading.
 */
export type Check = (ts?: number, count?: number) => CheckResult | undefined;

/**
 * @param data What the query returned; `undefined` while loading. Its config has been
 * checked on the server, so that the page need not load what checks it.
 * @param offset Server time minus browser time, in ms.
 * @param clock The browser's clock.
 */
export function createCheck(
  data: GetValueReturns | undefined,
  offset: number,
  clock: () => number,
): Check {
  if (data === undefined) return () => undefined;
  const { config, shard } = data;
  const bucket = bucketOf(config);
  return (now = clock(), count = 0) => {
    const serverNow = now + offset;
    const { value: balance, ts } = project(bucket, data, serverNow);
    const value = settle(balance - count, toleranceOf(bucket));
    const isPossible = count >= 0 && count <= bucket.capacity + TOLERANCE;
    const ok = isPossible && value >= 0;
    const wait = () => timeUntilPaid(bucket, { value, ts }, serverNow);
    return {
      value,
      ts: ts - offset,
      config,
      shard,
      ok,
      retryAt: ok ? undefined : isPossible ? now + wait() : Infinity,
    };
  };
}

function bucketOf(config: RateLimitConfig): Bucket {
  const { kind, rate, period, capacity = rate } = config;
  // The page reserves nothing, and knows when a window began.
  return { kind, rate, period, capacity, maxReserved: 0, origin: 0 };
}
