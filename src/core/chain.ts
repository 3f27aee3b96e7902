import { project, timeWhenFull, type State } from "./bucket.js";
import type { Limit } from "./limit.js";
import { HOUR } from "./periods.js";

/** What one transaction took from a limit whose calls do not wait for each other. */
export type Taking = {
  /** The place of its commit in the order of all; undefined for the own transaction's. */
  at: bigint | undefined;
  /** The `at` of the newest record that it could see; 0 for none. */
  seen: bigint;
  /** Tokens that it took; negative: gave back. */
  count: number;
  /** Whether the limit was made full before. */
  reset: boolean;
} & Required<State>;

/**
 * Reads records from the newest on until those are met that the limit's state follows from:
 * behind the newest that some record has seen, all are in what that record left.
 */
export async function readChain(
  newestFirst: AsyncIterable<Taking>,
): Promise<Taking[]> {
  const met: Taking[] = [];
  let seen: bigint | undefined;
  for await (const taking of newestFirst) {
    const { at } = taking;
    if (seen !== undefined && at !== undefined && at <= seen) break;
    met.push(taking);
    // What the own transaction wrote knows all that it can see.
    if (at === undefined) break;
    if (seen === undefined || taking.seen > seen) seen = taking.seen;
  }
  return met;
}

/** The record that had seen most: what is behind its `seen`, no call needs any more. */
export function baseOf(met: readonly Taking[]): Taking {
  return met.reduce((a, b) => (b.seen > a.seen ? b : a));
}

/**
 * The state that follows from the records that `readChain` met: what the one left that had
 * seen most, and on it, in the order of their commits, the others, which it did not know.
 * Undefined if the limit is as good as unused.
 */
export function stateOf(
  limit: Limit,
  met: readonly Taking[],
): State | undefined {
  const [newest] = met;
  if (newest === undefined) return undefined;
  if (newest.at === undefined) return afterState(newest);
  // All that were met came after what the base had seen.
  const state = replayOn(baseOf(met), limit, met.toReversed());
  if (state?.fullAt === undefined) return state;
  // Records of another rule, too, say nothing any more once they are paid for by their own, and
  // not before: when they are by the present rule does not count once that has ended.
  const isOfThisRule = !met.some((taking) => isOfOtherRule(limit, taking));
  return { ...state, fullAt: isOfThisRule ? state.fullAt : fullFrom(met) };
}

function replayOn(
  base: Taking,
  limit: Limit,
  inOrder: readonly Taking[],
): State | undefined {
  const lastReset = inOrder.findLastIndex(({ reset }) => reset);
  if (lastReset !== -1) {
    // What a reset left does not depend on what it could see.
    const [reset, ...later] = inOrder.slice(lastReset);
    return replay(limit, afterReset(limit, reset!, later[0]), later);
  }
  const [first, ...others] = inOrder;
  if (first === base) return replay(limit, afterState(base), others);
  const { value, count, ts } = base;
  return replay(limit, { value: value + count, ts }, inOrder);
}

function afterState({
  value,
  ts,
  fullAt,
  count,
  reset,
}: Taking): State | undefined {
  // A reset has no time: a clock that steps back behind it finds the limit full, too.
  return reset && count === 0 ? undefined : { value, ts, fullAt };
}

/** What a reset left for what comes after it. */
function afterReset(
  limit: Limit,
  reset: Taking,
  next: Taking | undefined,
): State | undefined {
  const left = afterState(reset);
  if (left !== undefined || next === undefined) return left;
  // What is made full by `clearAll`, which knows no capacity, says 0.
  if (reset.value === 0 || !isOfOtherRule(limit, next)) return left;
  // Both were of another rule, so that much was filled.
  const { capacity, arrivals } = limit.whole;
  const value = Math.min(reset.value, capacity);
  return { value, ts: arrivals.startAt(next.ts) };
}

function replay(
  limit: Limit,
  start: State | undefined,
  takings: readonly Taking[],
): State | undefined {
  const { whole } = limit;
  let state = start;
  for (const taking of takings) {
    const at = Math.max(taking.ts, state?.ts ?? -Infinity);
    const { value, ts } = project(whole, state, at);
    const next = Math.min(value - taking.count, whole.capacity);
    // What was granted under another rule may empty the limit, but leaves no debt.
    const least = isOfOtherRule(limit, taking) ? Math.min(0, value) : -Infinity;
    const left = { value: Math.max(next, least), ts };
    state = { ...left, fullAt: timeWhenFull(whole, left) };
  }
  return state;
}

/** Whether a record was written while the limit had another rate or capacity. */
export function isOfOtherRule(
  { whole, tolerance }: Limit,
  taking: Taking,
): boolean {
  const { value, count, fullAt } = taking;
  if (value + count > whole.capacity + tolerance) return true;
  if (value >= whole.capacity) return value > whole.capacity || count > 0;
  return fullAt !== timeWhenFull(whole, taking);
}

/** No window of the calendar is shorter, nor longer by a third than another one of its limit. */
const SHORTEST_CALENDAR_WINDOW = 20 * HOUR;
const LONGER = 4 / 3;

/**
 * From when on a limit is full whatever was taken beside each other: each record that was
 * met is paid for, one after the other. What may be windows of the calendar can take longer in
 * another place.
 */
export function fullFrom(met: readonly Taking[]): number {
  const latest = Math.max(...met.map(({ ts }) => ts));
  const paidIn = ({ ts, fullAt }: Taking) => {
    const ms = fullAt - ts;
    const isMoved = met.length > 1 && ms >= SHORTEST_CALENDAR_WINDOW;
    return isMoved ? Math.ceil(ms * LONGER) : ms;
  };
  return met.reduce((time, taking) => time + paidIn(taking), latest);
}
