/**
 * How tokens arrive in a bucket between two times. The kinds of limits differ in
 * this and in nothing else.
 */
export type Arrivals = {
  /**
   * The tokens that arrived after `since` and up to `now`, at `rate` tokens per
   * period, and the time up to which they are counted: from there the next ones are.
   *
   * @param nextAt Of a calendar, when the first ones arrive, if that has been settled.
   */
  between: (
    since: number,
    now: number,
    rate: number,
    nextAt?: number,
  ) => Arrived;
  /** The first whole ms at which so many tokens have arrived after `since`. */
  when: (
    since: number,
    tokens: number,
    rate: number,
    nextAt?: number,
  ) => number;
  /** The time from which a bucket counts that has never been used. */
  startAt: (now: number) => number;
  /** Whether they are windows of a calendar, which another one may replace. */
  isCalendar?: true;
};

export type Arrived = { tokens: number; ts: number; nextAt?: number };

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

/**
 * At once at the start of each window of `period` ms, one of which starts at `origin`; or
 * at these `starts`, which are in order, and every `period` ms from the last one on.
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

/** Rounds up, but for what two divisions of whole numbers may be off by. */
export function roundUp(n: number): number {
  return Math.ceil(n * (1 - 4 * Number.EPSILON));
}
