import type { RateLimitConfig } from "./config.js";

/**
 * How tokens arrive in a bucket between two times. The kinds of limits differ in
 * this and in nothing else.
 */
export type Arrivals = {
  /**
   * The tokens that arrived after `since` and up to `now`, at `rate` tokens per
   * period, and the time up to which they are counted: from there the next ones are.
   */
  between(since: number, now: number, rate: number): Arrived;
  /** The first whole ms at which so many tokens have arrived after `since`. */
  when(since: number, tokens: number, rate: number): number;
  /** The time from which a bucket counts that has never been used. */
  startAt(now: number): number;
};

type Arrived = { tokens: number; ts: number };

/** All the time, `rate` per `period`: a token bucket. */
export function trickle(period: number): Arrivals {
  return {
    between: (since, now, rate) =>
      now > since
        ? { tokens: ((now - since) * rate) / period, ts: now }
        : { tokens: 0, ts: since },
    when: (since, tokens, rate) => since + roundUp((tokens / rate) * period),
    startAt: (now) => now,
  };
}

/** At once at the start of each window of `period` ms, one of which starts at `origin`. */
export function windows(period: number, origin: number): Arrivals {
  return {
    between: (since, now, rate) => {
      const n = Math.max(0, Math.floor((now - since) / period));
      return { tokens: n * rate, ts: since + n * period };
    },
    when: (since, tokens, rate) =>
      since + roundUp(roundUp(tokens / rate) * period),
    startAt: (now) => origin + Math.floor((now - origin) / period) * period,
  };
}

/** How tokens arrive every so many ms; of windows, one starts at `origin`. */
export function plainArrivals(
  kind: RateLimitConfig["kind"],
  period: number,
  origin: number,
): Arrivals {
  return kind === "token bucket" ? trickle(period) : windows(period, origin);
}

/** Windows of any length, numbered in their order. */
export type Grid = {
  /** Which one a time is in. */
  indexOf: (time: number) => number;
  startOf: (index: number) => number;
};

/** At once at the start of each window of a grid. */
export function onGrid({ indexOf, startOf }: Grid): Arrivals {
  return {
    between: (since, now, rate) => {
      const index = indexOf(now);
      const n = index - indexOf(since);
      return n > 0
        ? { tokens: n * rate, ts: startOf(index) }
        : { tokens: 0, ts: since };
    },
    when: (since, tokens, rate) => {
      const n = roundUp(tokens / rate);
      return n > 0 ? startOf(indexOf(since) + n) : since;
    },
    startAt: (now) => startOf(indexOf(now)),
  };
}

/** At once at these times, which are in order, and every `period` ms after the last one. */
export function listed(starts: readonly number[], period: number): Arrivals {
  const { length } = starts;
  const last = starts[length - 1]!;
  return onGrid({
    indexOf: (time) =>
      time < last
        ? starts.filter((start) => start <= time).length
        : length + Math.floor((time - last) / period),
    startOf: (index) => starts[index - 1] ?? last + (index - length) * period,
  });
}

/** Rounds up, but for what two divisions of whole numbers may be off by. */
function roundUp(n: number): number {
  return Math.ceil(n * (1 - 4 * Number.EPSILON));
}
