import type { Arrivals } from "./arrivals.js";

/** What a limit, or one of the rows that it is split over, holds and regains. */
export type Bucket = {
  /** Tokens per period. */
  rate: number;
  /** The most tokens that accumulate. */
  capacity: number;
  arrivals: Arrivals;
};

/** One of so many equal parts of it. */
export function partOf(
  { rate, capacity, arrivals }: Bucket,
  parts: number,
): Bucket {
  return { rate: rate / parts, capacity: capacity / parts, arrivals };
}

/**
 * What a row says: `value` tokens at the time `ts`. Negative is a debt. For a
 * fixed window `ts` is the start of a window. From `fullAt` on, if it has one, the
 * row says what an absent row says, even if the config has changed since.
 *
 * Windows of the calendar may become those of another one, such as another time zone's. So
 * their rows say when the next tokens come, `nextAt`: then they do, whatever the calendar is
 * by then. After that, each of its windows counts that lies wholly behind. So no change of the
 * calendar refills a key, however often, and it waits at most one window longer.
 */
export type State = {
  value: number;
  ts: number;
  fullAt?: number | undefined;
  nextAt?: number | undefined;
};

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
  const arrived = arrivals.between(state.ts, now, rate, state.nextAt);
  const { tokens, ts, nextAt } = arrived;
  return { value: Math.min(state.value + tokens, capacity), ts, nextAt };
}

/** When a row will be full again. */
export function timeWhenFull(
  { rate, capacity, arrivals }: Bucket,
  { value, ts, nextAt }: State,
): number {
  if (value >= capacity) return ts;
  const fullAt = arrivals.when(ts, capacity - value, rate, nextAt);
  return Math.min(fullAt, LAST_MS);
}

/**
 * From when on a row says what an absent row says: once it is full. Of a calendar one window
 * later: without the row the limit counts from the running window, which by another calendar
 * may have begun before this one was full.
 */
export function timeWhenAbsent(bucket: Bucket, state: State): number {
  const { rate, capacity, arrivals } = bucket;
  if (!arrivals.isCalendar) return timeWhenFull(bucket, state);
  const { value, ts, nextAt } = state;
  const missing = Math.max(0, capacity - value) + rate;
  return Math.min(arrivals.when(ts, missing, rate, nextAt), LAST_MS);
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
