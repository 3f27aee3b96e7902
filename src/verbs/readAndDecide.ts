import {
  decide,
  type Decision,
  isRefusedByBan,
  takeFrom,
} from "../core/decide.js";
import { countFrom, type Demand } from "../core/demand.js";
import { type Limit, partOfLimit } from "../core/limit.js";
import {
  randomChild,
  forecastBySomeRows,
  balancesOf,
  isWellFilled,
  isBusy,
  canServe,
  POLICY,
  rowsToTakeFrom,
  otherRandomChild,
  timeWhenServed,
} from "../core/policy.js";
import {
  isUsable,
  type Balance,
  balanceOf,
  isIdle,
  leavesOf,
  type Row,
  type SplitRow,
  total,
} from "../core/rows.js";
import {
  childShard,
  isSplitRow,
  type Leaf,
  leafBelow,
  leavesNear,
  pathTo,
  rootLeaf,
  type RowRange,
  rangeNear,
} from "../core/tree.js";
import { type Forecast, wouldGrantAll } from "../core/wait.js";
import type { Ledger } from "../stores/ledger.js";
import type { OpenLimit } from "./open.js";

/**
 * Decides on the demands on one limit key. Changes nothing.
 *
 * Reads as few rows as it can: for a split limit one random row, or two. Only if these are short
 * does it look at the others.
 */
export async function readAndDecide(
  opened: OpenLimit,
  demands: readonly Demand[],
  random: () => number,
): Promise<Decision> {
  const { ledger, phases, now } = opened;
  const [phase] = phases;
  if (phase.effect === "unlimited") return decide(phases, [], demands, now);
  if (isRefusedByBan(phase, demands)) {
    return decide(phases, await ledger.look(), demands, now);
  }
  const root = await ledger.readSplitRoot();
  const [demand] = demands;
  if (root !== undefined && demands.length === 1 && needsSomeRows(demand!)) {
    const decision = await decideBySomeRows(opened, root, demand!, random);
    if (decision !== undefined) return decision;
  }
  return decide(phases, await ledger.read(), demands, now);
}

/** Whether some rows of a split limit may suffice for a demand. */
function needsSomeRows({ count, leave }: Demand): boolean {
  return count >= 0 && leave === 0;
}

/** Decides on a demand by some rows of a split limit. Undefined if all rows must be read. */
async function decideBySomeRows(
  opened: OpenLimit,
  root: SplitRow,
  demand: Demand,
  random: () => number,
): Promise<Decision | undefined> {
  const { phases, now } = opened;
  const [{ limit }] = phases;
  const { first, read } = await readOneOrTwo(opened, root, demand, random);
  const writes = takeFrom(limit, read, demand, now);
  if (writes !== undefined) return { ok: true, taken: [demand.count], writes };
  const seen = await lookAround(opened, demand, first);
  const { leaves, balances } = seen;
  const least = leastOf(demand);
  const mayBeRefused = demand.debt === "none";
  if (mayBeRefused && !canServe(limit, leaves, least, now, balances)) {
    return refuseUnserved(opened, root, demand, seen);
  }
  return takeWhereSeen(opened, root, demand, balances, read, random);
}

/** Reads a random row, and a second one if that is not well filled. The fuller one comes first. */
async function readOneOrTwo(
  { ledger, phases, now }: OpenLimit,
  root: SplitRow,
  { count }: Demand,
  random: () => number,
): Promise<{ first: Leaf; read: Balance[] }> {
  const [{ limit }] = phases;
  const first = await readRandomLeaf(ledger, root, random);
  const one = balanceOf(limit, first, now);
  if (isWellFilled(limit, one, count)) return { first, read: [one] };
  const second = await readRandomLeaf(ledger, root, random, first);
  const other = balanceOf(limit, second, now);
  // The fuller one serves, so that the emptier one can recover.
  return { first, read: other.value > one.value ? [other, one] : [one, other] };
}

/** The leaves that a look found, and their balances. */
type Seen = {
  leaves: readonly Leaf[];
  balances: Balance[];
  /** All rows that are stored; absent if the look showed only some leaves. */
  rows?: readonly Row[];
};

/**
 * Looks at all rows. If there are many, looks at some next to `near` first, and stops there if they
 * are busy.
 */
async function lookAround(
  { ledger, phases, now }: OpenLimit,
  demand: Demand,
  near: Leaf,
): Promise<Seen> {
  const [{ limit }] = phases;
  // To know what a later phase would grant, all rows are needed.
  const range =
    phases.length > 1 ? undefined : rangeToLookAt(limit, demand, near);
  if (range !== undefined) {
    const rows = await ledger.look(range);
    const leaves = leavesNear(near, range, rows);
    if (isBusy(limit, leaves, demand.count, now)) {
      const balances = balancesOf(limit, leaves, now);
      return { leaves, balances };
    }
  }
  const rows = await ledger.look();
  const leaves = leavesOf(limit, rows, now);
  const balances = balancesOf(limit, leaves, now);
  return { leaves, balances, rows };
}

/** The fewest tokens that a demand would take. */
function leastOf({ count, upTo }: Demand): number {
  return upTo ? 1 : count;
}

/** Refuses a demand that the rows seen do not serve; a dry run lets it through. */
function refuseUnserved(
  { phases, now }: OpenLimit,
  root: SplitRow,
  demand: Demand,
  { leaves, balances, rows }: Seen,
): Decision {
  const [{ limit }] = phases;
  const least = leastOf(demand);
  if (!limit.enforce) {
    return { ok: true, taken: [0], writes: [], spared: [0] };
  }
  if (rows === undefined) {
    const forecast = forecastBySomeRows(limit, balances, least, now);
    return { ok: false, refused: [0], forecast };
  }
  // A caller who asks again may find rows that are busy, and look no further.
  const mayLookAtSome = leaves.some((leaf) =>
    rangeToLookAt(limit, demand, leaf),
  );
  const forecast: Forecast = {
    isGranted: (phase, time) =>
      !isIdle(rows, time) &&
      // Another phase has the same leaves only if it counts under the same rule.
      (phase.limit === limit || isUsable(phase.limit, root))
        ? canServe(phase.limit, leaves, least, time) &&
          !(mayLookAtSome && isBusy(phase.limit, leaves, least, time))
        : wouldGrantAll(phase, rows, [demand], time),
    guess: (phase, from) =>
      phase.limit === limit && from === now
        ? timeWhenServed(limit, leaves, least, from, balances)
        : timeWhenServed(phase.limit, leaves, least, from),
  };
  return { ok: false, refused: [0], forecast };
}

/**
 * Reads the rows in which a look found the tokens, and takes from them. Undefined if these rows
 * have changed since the look.
 */
async function takeWhereSeen(
  { ledger, phases, now }: OpenLimit,
  root: SplitRow,
  demand: Demand,
  seen: readonly Balance[],
  read: readonly Balance[],
  random: () => number,
): Promise<Decision | undefined> {
  const [{ limit }] = phases;
  const count = countFrom(limit, total(seen), demand);
  const chosen: Balance[] = [];
  for (const shard of rowsToTakeFrom(limit, seen, read, count, random)) {
    const leaf = await readLeaf(ledger, root, shard);
    // It may have been split since the look.
    if (leaf.shard !== shard) return undefined;
    chosen.push(balanceOf(limit, leaf, now));
  }
  if (chosen.length === 0) return undefined;
  const writes = takeFrom(limit, chosen, { ...demand, count }, now);
  return writes && { ok: true, taken: [count], writes };
}

/**
 * Some rows next to `near` that may suffice to see that a limit is busy; undefined if all rows are
 * needed.
 */
function rangeToLookAt(
  limit: Limit,
  { count, debt, upTo }: Demand,
  near: Leaf,
): RowRange | undefined {
  const isLarge = count > partOfLimit(limit, near.parts).capacity;
  return debt !== "none" || upTo || isLarge
    ? undefined
    : rangeNear(near, POLICY.lookRows);
}

/** Reads a random row below row 0; with `first`, one below a different child of row 0. */
export function readRandomLeaf(
  ledger: Ledger,
  root: SplitRow,
  random: () => number,
  first?: Leaf,
): Promise<Leaf> {
  const firstChild = first && pathTo(first.shard)[0]!;
  return walk(ledger, root, (n, depth) =>
    firstChild === undefined || depth > 0
      ? randomChild(n, random)
      : otherRandomChild(n, firstChild, random),
  );
}

/** Reads one row below row 0. */
export function readLeaf(
  ledger: Ledger,
  root: SplitRow,
  shard: number,
): Promise<Leaf> {
  const path = pathTo(shard);
  return walk(ledger, root, (_, depth) => path[depth] ?? 0);
}

/** Goes from row 0 down to a row that is not split; `choose` picks a child on each level. */
async function walk(
  ledger: Ledger,
  root: SplitRow,
  choose: (n: number, depth: number) => number,
): Promise<Leaf> {
  let leaf = rootLeaf(root);
  for (let depth = 0; leaf.row && isSplitRow(leaf.row); depth++) {
    const { shard, parts, row } = leaf;
    // Since the look that chose it, the rows may have been gathered and split anew.
    const child = childShard(shard, choose(row.into, depth) % row.into);
    const [stored] = await ledger.read(child);
    leaf = leafBelow(row, parts, child, stored);
  }
  return leaf;
}
