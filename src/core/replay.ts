import { fullAtOf, project, type Bucket, type State } from "./bucket.js";
import { limitByRule, ruleOf, type Limit } from "./limit.js";
import { lastUsedAt, type Row } from "./rows.js";
import type { Debit } from "./validators.js";

/**
 * Reads debits, the newest first, until the state of the limit follows from those read: every debit
 * up to the largest `seen` is already included in the balance of a later one.
 */
export async function readChain(
  newestFirst: AsyncIterable<Debit>,
): Promise<Debit[]> {
  const read: Debit[] = [];
  let seen = -1n;
  for await (const debit of newestFirst) {
    const { at } = debit;
    // This transaction's own debit already includes all others that it can see.
    if (at === undefined) return [...read, debit];
    if (at <= seen) break;
    read.push(debit);
    if (debit.seen > seen) seen = debit.seen;
  }
  return read;
}

/**
 * The debit that saw most; of several, the first to commit. Its windows are the limit's, and no
 * call needs the debits up to its `seen` any more.
 */
export function baseOf(read: readonly Debit[]): Debit {
  return read.reduce((a, b) => (b.seen >= a.seen ? b : a));
}

/**
 * The row of a limit, from the debits that `readChain` read: starts with the balance that the base
 * left, and replays the debits that it did not see, in commit order. Undefined if the limit was
 * made full.
 */
export function rowOf(limit: Limit, read: readonly Debit[]): Row | undefined {
  if (read.length === 0) return undefined;
  const state = stateOf(limit, read);
  const { rule } = baseOf(read);
  return state && { shard: 0, ...state, fullAt: fullAtByDebits(read), rule };
}

function stateOf(limit: Limit, read: readonly Debit[]): State | undefined {
  const inOrder = read.toReversed();
  const lastReset = inOrder.findLastIndex(({ reset }) => reset);
  if (lastReset !== -1) {
    // A reset leaves the same balance whatever it saw: begin with the last one.
    const [reset, ...later] = inOrder.slice(lastReset);
    return replay(limit, afterReset(limit, reset!, later[0]), later);
  }
  const base = baseOf(read);
  const [first, ...others] = inOrder;
  if (first === base) return replay(limit, afterState(base), others);
  const { value, count, ts, nextAt, usedAt } = base;
  const before = { value: value + count, ts, nextAt, usedAt };
  return replay(limit, before, inOrder);
}

function afterState({ value, ts, nextAt, usedAt, count, reset }: Debit) {
  // A reset has no time: if the clock steps back to before it, the limit is still full.
  return reset && count === 0 ? undefined : { value, ts, nextAt, usedAt };
}

/** The state that a reset left for the next debit. */
function afterReset(
  limit: Limit,
  reset: Debit,
  next: Debit | undefined,
): State | undefined {
  const left = afterState(reset);
  if (left !== undefined || next === undefined) return left;
  // `clearAll` knows no capacity, and writes 0.
  if (reset.value === 0) return left;
  // The next debit may be under another rule, but the reset filled the capacity of its own.
  const { refill } = wholeOf(limit, next);
  return { value: reset.value, ts: refill.startAt(next.ts) };
}

/**
 * The state after debits in commit order. Up to each debit, the limit counts under that debit's
 * rule.
 */
function replay(
  limit: Limit,
  start: State | undefined,
  debits: readonly Debit[],
): State | undefined {
  let state = start;
  for (const debit of debits) {
    const whole = wholeOf(limit, debit);
    const ts = Math.max(debit.ts, state?.ts ?? -Infinity);
    const usedAt = Math.max(lastUsedAt(debit), state ? lastUsedAt(state) : ts);
    const { value, ts: began, nextAt } = project(whole, state, ts);
    // A window that has not ended goes on from its start.
    const since = nextAt === undefined ? ts : began;
    const next = Math.min(value - debit.count, whole.capacity);
    // A grant under another rule may empty the limit, but must not leave a debt that it did not
    // see.
    const least = isOfOtherRule(limit, debit)
      ? Math.min(0, value, debit.value)
      : -Infinity;
    state = {
      value: Math.max(next, least),
      ts: since,
      // The debit's window may be another calendar's, with a start and an end of its own.
      nextAt: nextAt ?? (ts === debit.ts ? debit.nextAt : undefined),
      usedAt: usedAt > since ? usedAt : undefined,
    };
  }
  return state;
}

/** The limit as a whole, under the rule of a debit. */
function wholeOf(limit: Limit, debit: Debit): Bucket {
  return isOfOtherRule(limit, debit)
    ? limitByRule(limit.name, debit).whole
    : limit.whole;
}

/** Whether a debit was written under another rule. */
export function isOfOtherRule(
  limit: Limit,
  debit: Debit,
): debit is Debit & { rule: string } {
  return debit.rule !== undefined && debit.rule !== ruleOf(limit);
}

/**
 * An upper bound for when a limit is full under every rule of its debits: when they are repaid one
 * after another, or later under the rule of a debit that did not see the others. Calendar windows
 * can be longer at another time of the year, but the one extra window in each debit's `fullAt`
 * covers that.
 */
export function fullAtByDebits(read: readonly Debit[]): number {
  const latest = Math.max(...read.map(({ ts }) => ts));
  const repaid = read.reduce(
    (time, { ts, fullAt }) => time + (fullAt - ts),
    latest,
  );
  const byRule = new Map(read.map((debit) => [debit.rule, debit]));
  if (byRule.size === 1) return repaid;
  return [...byRule].reduce((time, [rule, { ts }]) => {
    if (rule === undefined) return time;
    // The name would appear only in errors.
    const limit = limitByRule("", { rule, ts });
    const state = stateOf(limit, read);
    return state ? Math.max(time, fullAtOf(limit.whole, state)) : time;
  }, repaid);
}
