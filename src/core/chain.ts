import { project, timeWhenAbsent, type State } from "./bucket.js";
import type { Limit } from "./limit.js";

/** What a record says that its transaction left. */
export type Left = State & { fullAt: number };

/** What one transaction took from a limit whose calls do not wait for each other. */
export type Taking = Left & {
  /** The place of its commit in the order of all; undefined for the own transaction's. */
  at: bigint | undefined;
  /** The `at` of the newest record that it could see; 0 for none. */
  seen: bigint;
  /** Tokens that it took; negative: gave back. */
  count: number;
  /** Whether the limit was made full before. */
  reset: boolean;
  /** The rule by which it was written, see {@link ruleOf}; undefined if `clearAll` wrote it. */
  rule?: string | undefined;
};

/**
 * Reads records from the newest on until those are met that the limit's state follows from:
 * behind the newest that some record has seen, all are in what that record left.
 */
export async function readChain(
  newestFirst: AsyncIterable<Taking>,
): Promise<Taking[]> {
  const met: Taking[] = [];
  let seen = -1n;
  for await (const taking of newestFirst) {
    const { at } = taking;
    // What the own transaction wrote knows all that it can see.
    if (at === undefined) return [...met, taking];
    if (at <= seen) break;
    met.push(taking);
    if (taking.seen > seen) seen = taking.seen;
  }
  return met;
}

/**
 * The first to commit of the records that had seen most: its windows are the limit's. What is
 * behind its `seen`, no call needs any more.
 */
export function baseOf(met: readonly Taking[]): Taking {
  return met.reduce((a, b) => (b.seen >= a.seen ? b : a));
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
  const { value, count, ts, nextAt } = base;
  return replay(limit, { value: value + count, ts, nextAt }, inOrder);
}

function afterState(taking: Taking): State | undefined {
  const { value, ts, fullAt, nextAt, count, reset } = taking;
  // A reset has no time: a clock that steps back behind it finds the limit full, too.
  return reset && count === 0 ? undefined : { value, ts, fullAt, nextAt };
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
    const before = project(whole, state, at);
    const { value } = before;
    // It may be of another calendar, whose window began, and ends, at another time.
    const { nextAt = at === taking.ts ? taking.nextAt : undefined } = before;
    const held = { ts: at, nextAt };
    const next = Math.min(value - taking.count, whole.capacity);
    // What was granted under another rule may empty the limit, but leaves no debt.
    const least = isOfOtherRule(limit, taking) ? Math.min(0, value) : -Infinity;
    const left = { ...held, value: Math.max(next, least) };
    state = { ...left, fullAt: timeWhenAbsent(whole, left) };
  }
  return state;
}

/** What tells a rule by which records are written from every other. */
export function ruleOf({ kind, period, whole }: Limit): string {
  return `${kind} ${whole.rate}/${period} ${whole.capacity}`;
}

/** Whether a record was written under another rule: with another kind, rate or capacity. */
export function isOfOtherRule(limit: Limit, { rule }: Taking): boolean {
  return rule !== undefined && rule !== ruleOf(limit);
}

/**
 * From when on a limit is full whatever was taken beside each other: each record that was
 * met is paid for, one after the other. Windows of the calendar can take longer in another
 * place, but so many take no longer than one more does elsewhere, and each record counts one
 * more.
 */
export function fullFrom(met: readonly Taking[]): number {
  const latest = Math.max(...met.map(({ ts }) => ts));
  return met.reduce((time, { ts, fullAt }) => time + (fullAt - ts), latest);
}
