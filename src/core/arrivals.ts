/**
 * How tokens arrive in a bucket between two times. The kinds of limits differ in
 * this and in nothing else.
 */
export type Arrivals = {
  /**
   * The tokens that arrived after `since` and up to `now`, at `rate` tokens per
   * period, and the time up to which they are counted: from there the next ones are.
   */
  between: (since: number, now: number, rate: number) => Arrived;
  /** The first whole ms at which so many tokens have arrived after `since`. */
  when: (since: number, tokens: number, rate: number) => number;
  /** The time from which a bucket counts that has never been used. */
  startAt: (now: number) => number;
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

/** Windows of any length, in their order: their numbers, and when they start. */
export type Grid = {
  indexOf: (time: number) => number;
  startOf: (index: number) => number;
};

/** At once at the start of each window of a grid. */
export function onGrid({ indexOf, startOf }: Grid): Arrivals {
  return {
    between: (since, now, rate) => {
      const index = indexOf(now);
      const n = now > since ? index - indexOf(since) : 0;
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

/**
 * The windows that start at these times, at least two. Those after the last one are taken to
 * be as long as the one before it.
 */
export function listed(starts: readonly number[]): Arrivals {
  const last = starts.length - 1;
  const end = starts[last]!;
  const length = end - starts[last - 1]!;
  return onGrid({
    indexOf: (time) =>
      time < end
        ? starts.findLastIndex((start) => start <= time)
        : last + Math.floor((time - end) / length),
    startOf: (index) => starts[index] ?? end + (index - last) * length,
  });
}

/** Rounds up, but for what two divisions of whole numbers may be off by. */
function roundUp(n: number): number {
  return Math.ceil(n * (1 - 4 * Number.EPSILON));
}
