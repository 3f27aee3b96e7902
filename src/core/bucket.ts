import { type Held, withRoom } from "./held.js";
import { HOUR } from "./periods.js";

/** The capacity and refill of a limit, or of one of the rows that it is split over. */
export type Bucket = {
  /** Tokens per period. */
  rate: number;
  /** The most tokens that accumulate. */
  capacity: number;
  refill: Refill;
};

/** One of `parts` equal parts of a bucket. */
export function partOf(
  { rate, capacity, refill }: Bucket,
  parts: number,
): Bucket {
  return { rate: rate / parts, capacity: capacity / parts, refill };
}

/**
 * A balance as it is stored: `value` tokens at the time `ts`; negative for a debt. For a fixed
 * window, `ts` is the start of a window. What has arrived since the last write follows from the
 * rule of whoever reads it.
 *
 * The calendar of a limit can change, for instance to another time zone. So each row stores
 * `nextAt`: when its next tokens arrive, whatever the calendar is by then. (If windows have become
 * much longer, they arrive when one begins.) After that, a window counts only once it is over. So
 * changing the calendar, however often, never refills a key, and delays it by at most one window.
 */
export type State = {
  value: number;
  ts: number;
  nextAt?: number | undefined;
  /** When the balance was last written; absent if that is `ts`. */
  usedAt?: number | undefined;
  /** What is known of holds, see held.ts. */
  held?: Held[] | undefined;
};

/** The times of a balance, without its tokens. */
export type Since = Omit<State, "value" | "held">;

/** In ms. Later times count as never. */
export const LAST_MS = Number.MAX_SAFE_INTEGER;

/**
 * The balance at the time `now`. An absent row (`undefined`) is full. A `now` before `ts` adds
 * nothing.
 */
export function project(
  bucket: Bucket,
  state: State | undefined,
  now: number,
): State {
  const { rate, capacity, refill } = bucket;
  if (state === undefined) {
    return { value: capacity, ts: refill.startAt(now) };
  }
  const { tokens, ts, nextAt } = refill.between(state, now, rate);
  const value = Math.min(state.value + tokens, capacity);
  // A window that has filled the bucket is over, and none follows before the next use.
  const isOver = refill.startsWithUse && tokens > 0 && value === capacity;
  return {
    value,
    ts: isOver ? refill.startAt(now) : ts,
    nextAt,
    held: withRoom(state.held, capacity - value),
  };
}

/** When a balance is full again; its `ts` if it is full already. */
export function timeWhenFull(bucket: Bucket, state: State): number {
  const missing = bucket.capacity - state.value;
  if (missing <= 0) return state.ts;
  return Math.min(timeOfArrival(bucket, state, missing), LAST_MS);
}

/** The first whole ms at which this many tokens have arrived in a bucket. */
export function timeOfArrival(
  { refill, rate }: Bucket,
  since: Since,
  tokens: number,
): number {
  return refill.when(since, tokens, rate);
}

/**
 * The `fullAt` of a balance: when it is full again; with a calendar that comes with the calls, 26
 * hours later. The next call may name another time zone, whose window in which an idle key starts
 * over must not have begun before the balance was full. A window from the first use ends first, even
 * if all was given back.
 */
export function fullAtOf(bucket: Bucket, state: State): number {
  const { rate, capacity, refill } = bucket;
  const later = refill.mayMove ? ZONES_APART : 0;
  const most = refill.startsWithUse ? capacity - rate : capacity;
  const value = Math.min(state.value, most);
  return timeWhenFull(bucket, { ...state, value }) + later;
}

/** From the first place where a date begins to the last one: UTC+14 to UTC-12. */
const ZONES_APART = 26 * HOUR;

/**
 * The smallest whole number of ms, from 1 to `last`, for which `isMet` is true; undefined if there
 * is none. Once true, `isMet` must stay true. The search begins at `guess`: if that is right, it
 * calls `isMet` at most twice.
 */
export function firstWait(
  isMet: (wait: number) => boolean,
  guess: number,
  last: number = LAST_MS,
): number | undefined {
  if (last < 1) return undefined;
  let late = Math.min(Math.max(1, Math.ceil(guess) || 1), last);
  let tooEarly = 0;
  if (isMet(late)) {
    for (let step = 1; late > 1; step *= 2) {
      const earlier = Math.max(1, late - step);
      if (!isMet(earlier)) {
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
      if (isMet(late)) break;
    }
  }
  return firstBetween(isMet, tooEarly, late);
}

/** The first whole number after `tooEarly` for which `isMet` is true, as it is for `late`. */
export function firstBetween(
  isMet: (n: number) => boolean,
  tooEarly: number,
  late: number,
): number {
  while (late - tooEarly > 1) {
    const middle = tooEarly + Math.floor((late - tooEarly) / 2);
    if (isMet(middle)) late = middle;
    else tooEarly = middle;
  }
  return late;
}

/**
 * The wait in ms, at least 1, until a condition first holds. Undefined if no phase can meet it,
 * `Infinity` if the last one could but never does.
 *
 * @param isMet Once true, it must stay true while the phase lasts.
 * @param guess About when the condition begins to hold; undefined if it never holds in this phase.
 */
export function firstWaitIn<Phase extends { until: number }>(
  phases: readonly Phase[],
  now: number,
  isMet: (phase: Phase, time: number) => boolean,
  guess: (phase: Phase, from: number) => number | undefined,
): number | undefined {
  let from = now;
  for (const phase of phases) {
    const begin = from;
    // The last whole ms of this phase.
    const last = Math.min(Math.ceil(phase.until) - 1, LAST_MS);
    const guessed = guess(phase, begin);
    from = Math.max(begin, last);
    if (guessed === undefined) continue;
    const wait = firstWait(
      (ms) => isMet(phase, begin + ms),
      guessed - begin,
      last - begin,
    );
    if (wait !== undefined) return begin + wait - now;
    if (phase.until === Infinity) return Infinity;
  }
  return undefined;
}

/**
 * How tokens arrive in a bucket over time. The kinds of limits differ in this and in nothing else.
 */
export type Refill = {
  /**
   * The tokens that arrived after the `ts` of a balance and up to `now`, at `rate` tokens per
   * period, and the `ts` up to which they are counted. Nothing before its `usedAt` counts: under
   * the rule of that write no tokens arrived in between; under another they might have.
   */
  between: (since: Since, now: number, rate: number) => Refilled;
  /** The first whole ms at which this many tokens have arrived. */
  when: (since: Since, tokens: number, rate: number) => number;
  /** The `ts` of a bucket that has never been used. */
  startAt: (now: number) => number;
  /** Set for windows from the first use: a full bucket waits, without a window, for its next use. */
  startsWithUse?: true | undefined;
  /** Set for calendar windows: another calendar may replace theirs. */
  isCalendar?: true;
  /** Set for a calendar that comes with the calls: each may name another time zone. */
  mayMove?: true | undefined;
};

export type Refilled = Pick<State, "ts" | "nextAt"> & { tokens: number };

/** A token bucket: tokens arrive continuously, `rate` of them per `period`. */
export function continuousRefill(period: number): Refill {
  return {
    between: ({ ts: since, usedAt = since }, now, rate) => {
      const from = Math.max(since, usedAt);
      const ts = Math.max(from, now);
      return { tokens: ((ts - from) * rate) / period, ts };
    },
    when: ({ ts, usedAt = ts }, tokens, rate) =>
      Math.max(ts, usedAt) + roundUp((tokens / rate) * period),
    startAt: (now) => now,
  };
}

/** The same refill, minus what would have arrived before the last write. */
export function sinceLastWrite({ between, when, ...rest }: Refill): Refill {
  const before = (since: Since, rate: number) =>
    between(since, since.usedAt ?? since.ts, rate).tokens;
  return {
    ...rest,
    between: (since, now, rate) => {
      const arrived = between(since, now, rate);
      arrived.tokens = Math.max(0, arrived.tokens - before(since, rate));
      return arrived;
    },
    when: (since, tokens, rate) =>
      when(since, tokens + before(since, rate), rate),
  };
}

/** The `start` of windows that begin with the first use. */
export const FIRST_USE = "first use";

/**
 * Fixed windows: tokens arrive all at once at the start of each window. Windows are `period` ms
 * long, and one starts at `origin`. With `starts` (in ascending order), windows start at these
 * times, and every `period` ms after the last one.
 */
export function windowRefill(
  period: number,
  origin: number | typeof FIRST_USE,
  starts: readonly number[] = [],
): Refill {
  const between: Refill["between"] = ({ ts }, now, rate) => {
    const passed = starts.filter((start) => start > ts && start <= now);
    const from = passed.at(-1) ?? ts;
    const end = starts.some((start) => start > now) ? from : now;
    let n = Math.floor((end - from) / period);
    // The quotient may be rounded down to just below the window that begins now.
    if (end - (from + n * period) >= period) n += 1;
    return { tokens: (passed.length + n) * rate, ts: from + n * period };
  };
  return sinceLastWrite({
    between: (since, now, rate) =>
      between(since, Math.max(since.ts, now), rate),
    when: ({ ts }, tokens, rate) => {
      const n = roundUp(tokens / rate);
      const next = starts.filter((start) => start > ts);
      const last = next.at(-1) ?? ts;
      return next[n - 1] ?? last + roundUp((n - next.length) * period);
    },
    startAt: (now) =>
      origin === FIRST_USE
        ? now
        : between({ ts: starts[0] ?? origin }, now, 0).ts,
    startsWithUse: origin === FIRST_USE ? true : undefined,
  });
}

/** Rounds up, but forgives the rounding error of two divisions of whole numbers. */
export function roundUp(n: number): number {
  return Math.ceil(n * (1 - 4 * Number.EPSILON));
}
