import type { ShownConfig } from "../core/config.js";
import { snapped } from "../core/limit.js";
import { projectionOf, type GetValueReturns } from "../core/value.js";

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
  config: ShownConfig;
  /** The row that was read; of a limit that is split, the fullest. */
  shard: number;
  /** Whether the balance suffices. */
  ok: boolean;
  /**
   * When it will suffice, by the browser's clock, in ms from the epoch. `Infinity`
   * if never: the count is above the capacity, or not a number of at least 0, or the key is
   * banned without end.
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

/** A check that knows when another rule holds, by an override that begins or ends. */
export type TimedCheck = Check & {
  /** By the browser's clock; `Infinity` if never. */
  ruleEnds?: (now: number) => number;
};

/**
 * @param data What the query returned; `undefined` while loading. Its config has been
 * checked on the server, so that the page need not load what checks it.
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
  const projection = projectionOf(data, config);
  const check: TimedCheck = (now = clock(), count = 0) => {
    const serverNow = now + offset;
    const { limit, at } = projection.at(serverNow);
    const balance = at(serverNow);
    const wait = count >= 0 ? projection.waitFor(count, serverNow) : Infinity;
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
  check.ruleEnds = (now) => projection.at(now + offset).until - offset;
  return check;
}
