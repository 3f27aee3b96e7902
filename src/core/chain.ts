import { project, timeWhenFull, type State } from "./bucket.js";
import type { Limit } from "./limit.js";

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

/**
 * The state that follows from the records that `readChain` met: what the one left that had
 * seen most, and on it, in the order of their commits, the others, which it did not know.
 * Undefined if there are none.
 */
export function stateOf(
  limit: Limit,
  met: readonly Taking[],
): State | undefined {
  const [newest] = met;
  if (newest === undefined) return undefined;
  if (newest.at === undefined) return afterState(newest);
  const base = met.reduce((a, b) => (b.seen > a.seen ? b : a));
  const inOrder = met
    .filter(({ at }) => at !== undefined && at > base.seen)
    .reverse();
  const lastReset = inOrder.findLastIndex(({ reset }) => reset);
  if (lastReset !== -1) {
    const { ts } = inOrder[lastReset]!;
    const full = { value: limit.whole.capacity, ts };
    return replay(limit, full, inOrder.slice(lastReset));
  }
  if (inOrder[0] === base) {
    const after = afterState(base);
    const [, ...others] = inOrder;
    return others.length === 0 ? after : replay(limit, after, others);
  }
  const { value, count, ts } = base;
  return replay(limit, { value: value + count, ts }, inOrder);
}

function afterState({ value, ts, fullAt }: Taking): State {
  return { value, ts, fullAt };
}

function replay(limit: Limit, start: State, takings: readonly Taking[]): State {
  const { whole } = limit;
  let state = start;
  for (const taking of takings) {
    const { value, ts } = project(whole, state, Math.max(taking.ts, state.ts));
    const next = Math.min(value - taking.count, whole.capacity);
    // What was granted under another rule may empty the limit, but leaves no debt.
    const least = isOfOtherRule(limit, taking) ? Math.min(0, value) : -Infinity;
    state = { value: Math.max(next, least), ts };
  }
  return { ...state, fullAt: timeWhenFull(whole, state) };
}

/** Whether a record was written while the limit had another rate or capacity. */
function isOfOtherRule({ whole }: Limit, taking: Taking): boolean {
  if (taking.value >= whole.capacity) return taking.value > whole.capacity;
  return taking.fullAt !== timeWhenFull(whole, taking);
}

/**
 * From when on a limit is full whatever was taken beside each other: each record that was
 * met is paid for, one after the other.
 */
export function fullFrom(met: readonly Taking[]): number {
  const latest = Math.max(...met.map(({ ts }) => ts));
  return met.reduce((time, { ts, fullAt }) => time + (fullAt - ts), latest);
}
