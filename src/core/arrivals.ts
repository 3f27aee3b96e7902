/**
 * How tokens arrive in a bucket over time. The kinds of limits differ in this and in nothing
 * else.
 */
export type Arrivals = {
  /**
   * The tokens that arrived after `since` and up to `now`, at `rate` tokens per period, and the
   * `ts` up to which they are counted: pass it as the next `since`.
   *
   * @param nextAt For a calendar: when the first tokens arrive, if a row fixed that.
   */
  between: (
    since: number,
    now: number,
    rate: number,
    nextAt?: number,
  ) => Arrived;
  /** The first whole ms at which this many tokens have arrived after `since`. */
  when: (
    since: number,
    tokens: number,
    rate: number,
    nextAt?: number,
  ) => number;
  /** The `ts` of a bucket that has never been used. */
  startAt: (now: number) => number;
  /** Set for calendar windows: another calendar may replace theirs. */
  isCalendar?: true;
};

export type Arrived = { tokens: number; ts: number; nextAt?: number };

/** A token bucket: tokens arrive continuously, `rate` of them per `period`. */
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

/**
 * Fixed windows: tokens arrive all at once at the start of each window. Windows are `period` ms
 * long, and one starts at `origin`. With `starts` (in ascending order), windows start at these
 * times, and every `period` ms after the last one.
 */
export function windows(
  period: number,
  origin: number,
  starts: readonly number[] = [],
): Arrivals {
  const between: Arrivals["between"] = (since, now, rate) => {
    const passed = starts.filter((start) => start > since && start <= now);
    const from = passed.at(-1) ?? since;
    const isListed = starts.some((start) => start > now);
    const n = isListed ? 0 : Math.floor((now - from) / period);
    return { tokens: (passed.length + n) * rate, ts: from + n * period };
  };
  return {
    between: (since, now, rate) => between(since, Math.max(since, now), rate),
    when: (since, tokens, rate) => {
      const n = roundUp(tokens / rate);
      const next = starts.filter((start) => start > since);
      const last = next.at(-1) ?? since;
      return next[n - 1] ?? last + roundUp((n - next.length) * period);
    },
    startAt: (now) => between(starts[0] ?? origin, now, 0).ts,
  };
}

/** Rounds up, but forgives the rounding error of two divisions of whole numbers. */
export function roundUp(n: number): number {
  return Math.ceil(n * (1 - 4 * Number.EPSILON));
}
