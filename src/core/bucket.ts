import type { Arrivals } from "./arrivals.js";

/** What a limit, or one of the rows that it is split over, holds and regains. */
export type Bucket = {
  /** Tokens per period. */
  rate: number;
  /** The most tokens that accumulate. */
  capacity: number;
  arrivals: Arrivals;
};

/**
 * What a row says: `value` tokens at the time `ts`. Negative is a debt. For a
 * fixed window `ts` is the start of a window. From `fullAt` on, if it has one, the
 * row says what an absent row says, even if the config has changed since.
 */
export type State = { value: number; ts: number; fullAt?: number };

/** What is later than this is never. */
export const LAST_MS = Number.MAX_SAFE_INTEGER;

/** Whether a row still says something: from its `fullAt` on it is as good as absent. */
export function isLive(state: State, now: number): boolean {
  return state.fullAt === undefined || now < state.fullAt;
}

/**
 * The balance of a row at the time `now`. An absent row (`undefined`) is full. Time
 * never runs backwards: a `now` before the row's `ts` adds nothing.
 */
export function project(
  bucket: Bucket,
  state: State | undefined,
  now: number,
): State {
  const { rate, capacity, arrivals } = bucket;
  if (state === undefined || !isLive(state, now)) {
    return { value: capacity, ts: arrivals.startAt(now) };
  }
  const { tokens, ts } = arrivals.between(state.ts, now, rate);
  return { value: Math.min(state.value + tokens, capacity), ts };
}

/** When a row will be full again: from then on it says what an absent row says. */
export function timeWhenFull(
  { rate, capacity, arrivals }: Bucket,
  { value, ts }: State,
): number {
  if (value >= capacity) return ts;
  const fullAt = arrivals.when(ts, capacity - value, rate);
  return Math.min(fullAt, LAST_MS);
}

/**
 * The smallest whole number of ms, at least 1 and at most `last`, for which `holds` is
 * true; undefined if it is for none. `holds` must stay true once it is. `guess` is
 * where to begin: if it is right, `holds` is asked twice.
 */
export function firstTime(
  holds: (wait: number) => boolean,
  guess: number,
  last: number = LAST_MS,
): number | undefined {
  if (last < 1) return undefined;
  let late = Math.min(Math.max(1, Math.ceil(guess) || 1), last);
  let tooEarly = 0;
  if (holds(late)) {
    for (let step = 1; late > 1; step *= 2) {
      const earlier = Math.max(1, late - step);
      if (!holds(earlier)) {
        tooEarly = earlier;
        break;
      }
      late = earlier;
    }
  } else {
    for (let step = 1; ; step *= 2) {
      if (late >= last) return undefined;
      tooEarly = late;
      late = Math.min(late + step, last);
      if (holds(late)) break;
    }
  }
  while (late - tooEarly > 1) {
    const middle = tooEarly + Math.floor((late - tooEarly) / 2);
    if (holds(middle)) late = middle;
    else tooEarly = middle;
  }
  return late;
}
