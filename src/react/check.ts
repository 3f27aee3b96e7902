import type { ShownConfig } from "../core/config.js";
import { snapped } from "../core/limit.js";
import { projectionOf, type GetValueReturns } from "../core/value.js";

/** The balance at a time, and the outcome of a request at that time. */
export type CheckResult = {
  /** The balance after the request; negative if there are too few tokens. */
  value: number;
  /**
   * The time of that balance, by the browser's clock, in ms since the epoch; for a fixed window, the
   * start of its window.
   */
  ts: number;
  /** The whole limit's config. */
  config: ShownConfig;
  /** The row that was read; for a split limit, the fullest one. */
  shard: number;
  /** Whether there are enough tokens. */
  ok: boolean;
  /**
   * When there will be enough tokens, by the browser's clock, in ms since the epoch; `undefined` if
   * there are now. `Infinity` if never: the count is above the capacity or not a number of at least
   * 0, or the key is banned without end.
   */
  retryAt: number | undefined;
};

/**
 * Projects the balance to a time and subtracts tokens from the result. Takes nothing.
 *
 * @param ts By the browser's clock, in ms since the epoch. Default: now.
 * @param count The tokens to subtract. Default 0: only the balance.
 * @returns `undefined` while loading.
 */
export type Check = (ts?: number, count?: number) => CheckResult | undefined;

/** A check that also tells when the phase ends because an override begins or ends. */
export type TimedCheck = Check & {
  /** When the phase at `now` ends, by the browser's clock; `Infinity` if never. */
  phaseEnds?: (now: number) => number;
};

/**
 * Makes the function `check` of the hook.
 *
 * @param data What the query returned; `undefined` while loading. The server has checked its
 * config, so the page does not load the code for that.
 * @param offset Server time minus browser time, in ms.
 * @param clock The browser's clock.
 */
export function createCheck(
  data: GetValueReturns<ShownConfig> | undefined,
  offset: number,
  clock: () => number,
): TimedCheck {
  if (data === undefined) return () => undefined;
  const { config, shard } = data;
  const { phaseAt, waitFor } = projectionOf(data, config);
  const check: TimedCheck = (now = clock(), count = 0) => {
    const serverNow = now + offset;
    const { limit, balanceAt } = phaseAt(serverNow);
    const balance = balanceAt(serverNow);
    const wait = count >= 0 ? waitFor(count, serverNow) : Infinity;
    const ok = wait === 0;
    const { enforce } = limit;
    return {
      value: snapped(limit, balance.value - count),
      ts: balance.ts - offset,
      config:
        enforce === (config.enforce ?? true) ? config : { ...config, enforce },
      shard,
      ok,
      retryAt: ok ? undefined : now + wait,
    };
  };
  check.phaseEnds = (now) => phaseAt(now + offset).until - offset;
  return check;
}
