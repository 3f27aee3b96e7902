import type { Bucket, Limit, Request } from "./config.js";

/**
 * What a row says: `value` tokens at the time `ts`. Negative is a debt. For a
 * fixed window `ts` is the start of a window. From `fullAt` on, if it has one, the
 * row says what an absent row says, even if the config has changed since.
 */
export type State = { value: number; ts: number; fullAt?: number };

/**
 * What a request comes to. `states` runs parallel to the rows that were looked
 * at and holds the new state of each row that changes, `undefined` for the others.
 */
export type Decision =
  | { ok: true; retryAfter?: number; states: (State | undefined)[] }
  | { ok: false; retryAfter: number };

/** Fewer tokens than this are a rounding error. */
export const TOLERANCE = 1e-6;

/**
 * The deficit that counts as zero. It is {@link TOLERANCE}, but no more than a
 * bucket refills in a hundredth of a ms, for with a period of days a millionth of a
 * token is seconds, and retryAfter is right to the ms.
 */
export function toleranceOf({ kind, rate, period, capacity }: Bucket): number {
  if (kind === "fixed window") return TOLERANCE;
  const refill = (0.01 * rate) / period;
  // What the arithmetic of so large a number may be off by.
  const rounding = 1e-12 * capacity;
  return Math.min(TOLERANCE, Math.max(refill, rounding));
}

/**
 * The balance of a row at the time `now`. An absent row (`null`) is full. Time
 * never runs backwards: a `now` before the row's `ts` adds nothing.
 */
export function project(
  bucket: Bucket,
  state: State | null,
  now: number,
): State {
  if (state === null || now >= (state.fullAt ?? Infinity)) {
    return { value: bucket.capacity, ts: startOfPeriod(bucket, now) };
  }
  const elapsed = Math.max(0, now - state.ts);
  if (bucket.kind === "token bucket") {
    const refill = (elapsed * bucket.rate) / bucket.period;
    return {
      value: Math.min(state.value + refill, bucket.capacity),
      ts: Math.max(now, state.ts),
    };
  }
  const windows = Math.floor(elapsed / bucket.period);
  return {
    value: Math.min(state.value + windows * bucket.rate, bucket.capacity),
    ts: state.ts + windows * bucket.period,
  };
}

/**
 * Decides a request on the rows at hand: one row, or several of a limit that is
 * split. The one function in which tokens are taken.
 *
 * - The first row that holds the whole count gives it alone.
 * - Else, if the rows hold it together, they give it, the fullest first.
 * - Else, if it may be reserved, the rows go into debt, to a common level, as
 *   far as each row's share of `maxReserved` allows. `retryAfter` is then when
 *   that debt is paid.
 * - Else it is denied. `retryAfter` is the first whole ms at which these rows
 *   would grant it if nobody else took from them.
 */
export function decide(
  limit: Limit,
  rows: readonly (State | null)[],
  request: Request,
  now: number,
): Decision {
  const balances = rows.map((row) => project(limit.share, row, now));
  const levels = take(limit, balances, request);
  if (levels === undefined) {
    return {
      ok: false,
      retryAfter: firstTime((wait) => {
        const later = rows.map((row) => project(limit.share, row, now + wait));
        return take(limit, later, request) !== undefined;
      }),
    };
  }
  const states = balances.map(({ value, ts }, i) => {
    const level = levels[i];
    return level === undefined || level === value
      ? undefined
      : { value: level, ts };
  });
  const level = Math.max(...levels);
  if (level >= 0) return { ok: true, states };
  // The rows that give are now at the highest level; a row that is deeper gave nothing.
  const debts = balances.filter((_, i) => levels[i] === level);
  const retryAfter = Math.max(
    ...debts.map(({ ts }) =>
      timeUntilPaid(limit.share, { value: level, ts }, now),
    ),
  );
  return { ok: true, retryAfter, states };
}

/** The most tokens that one request could ever be granted. */
export function mostGrantable({ whole }: Limit, { reserve }: Request): number {
  return whole.capacity + (reserve ? whole.maxReserved : 0);
}

/** When a row will be full again: from then on it says what an absent row says. */
export function timeWhenFull(bucket: Bucket, { value, ts }: State): number {
  const missing = Math.max(0, bucket.capacity - value) / bucket.rate;
  const periods = bucket.kind === "fixed window" ? roundUp(missing) : missing;
  return Math.min(
    ts + roundUp(periods * bucket.period),
    Number.MAX_SAFE_INTEGER,
  );
}

/** In how many whole ms a row in debt is back at zero. */
export function timeUntilPaid(
  bucket: Bucket,
  state: State,
  now: number,
): number {
  const tolerance = toleranceOf(bucket);
  return firstTime(
    (wait) => project(bucket, state, now + wait).value >= -tolerance,
  );
}

/**
 * The smallest whole number of ms, at least 1, for which `holds` is true.
 * `holds` must stay true once it is. If it is never true within the range of
 * exact integers, the largest of them.
 */
export function firstTime(holds: (wait: number) => boolean): number {
  let tooEarly = 0;
  let late = 1;
  while (!holds(late)) {
    if (late >= Number.MAX_SAFE_INTEGER) return Number.MAX_SAFE_INTEGER;
    tooEarly = late;
    late = Math.min(late * 2, Number.MAX_SAFE_INTEGER);
  }
  while (late - tooEarly > 1) {
    const middle = tooEarly + Math.floor((late - tooEarly) / 2);
    if (holds(middle)) late = middle;
    else tooEarly = middle;
  }
  return late;
}

/**
 * The balances after a request, or `undefined` if these rows cannot meet it.
 * A row that gives nothing keeps its balance.
 */
function take(
  { share, whole }: Limit,
  balances: readonly State[],
  { count, reserve }: Request,
): number[] | undefined {
  const tolerance = toleranceOf(whole);
  const values = balances.map(({ value }) => value);
  const single = values.findIndex((value) => value - count >= -tolerance);
  if (single !== -1) {
    return values.with(single, settle(values[single]! - count, tolerance));
  }
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total - count >= -tolerance) return drain(values, count);
  if (!reserve) return undefined;
  const level = commonLevel(values, count);
  if (-level > share.maxReserved + tolerance) return undefined;
  return values.map((value) => Math.min(value, settle(level, tolerance)));
}

/** Takes `count` from rows that hold it together, from the fullest first. */
function drain(values: readonly number[], count: number): number[] {
  const after = [...values];
  let missing = count;
  for (const { value, i } of fullestFirst(values)) {
    if (missing <= 0 || value <= 0) break;
    after[i] = value - Math.min(value, missing);
    missing -= value;
  }
  return after;
}

/**
 * The level to which the fullest rows must sink to give `count`: rows that are
 * below it already give nothing.
 */
function commonLevel(values: readonly number[], count: number): number {
  let sum = -count;
  let level = -Infinity;
  for (const [rank, { value }] of fullestFirst(values).entries()) {
    if (value <= level) break;
    sum += value;
    level = sum / (rank + 1);
  }
  return level;
}

function fullestFirst(values: readonly number[]) {
  return values
    .map((value, i) => ({ value, i }))
    .sort((a, b) => b.value - a.value);
}

/** A deficit that is a rounding error is stored as zero, so that errors cannot pile up. */
export function settle(value: number, tolerance: number): number {
  return value < 0 && value >= -tolerance ? 0 : value;
}

/** Rounds up, but for what two divisions of whole numbers may be off by. */
function roundUp(n: number): number {
  return Math.ceil(n * (1 - 4 * Number.EPSILON));
}

function startOfPeriod(bucket: Bucket, now: number): number {
  if (bucket.kind === "token bucket") return now;
  const windows = Math.floor((now - bucket.origin) / bucket.period);
  return bucket.origin + windows * bucket.period;
}
