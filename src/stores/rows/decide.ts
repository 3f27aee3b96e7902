import {
  decide,
  type Decision,
  isRefusedByBan,
  takeFrom,
  takeIntoDebt,
} from "../../core/decide.js";
import { countFrom, type Demand, mayMakeDebt } from "../../core/demand.js";
import type { Limit } from "../../core/limit.js";
import {
  forecastBySomeRows,
  balancesOf,
  isWellFilled,
  isBusy,
  mayOverlap,
  isLarge,
  canServe,
  holdsOften,
  POLICY,
  randomRow,
  rowsToTakeFrom,
  rowToOwe,
  timeWhenServed,
  tookLong,
  withoutDebts,
} from "../../core/policy.js";
import {
  isUsable,
  type Balance,
  balanceOf,
  isIdle,
  leavesOf,
  mayOwe,
  rootOf,
  type Row,
  type SplitRow,
  total,
} from "../../core/rows.js";
import {
  type Leaf,
  leavesNear,
  type RowRange,
  rangeNear,
  rootLeaf,
} from "../../core/tree.js";
import { type Forecast, wouldGrantAll } from "../../core/wait.js";
import type { Phases } from "../../core/phases.js";
import { readLeaf, readOtherLeaf, type Tree } from "./walk.js";

/** The rows of one limit key, and what they count by. */
export interface Rows extends Tree {
  readonly phases: Phases;
  /** The limit of the first phase. */
  readonly limit: Limit;
  readonly now: number;
  /** Whether a look depends on nothing. */
  readonly canLook: boolean;
  /** Reads row 0, and returns it if the limit is split over the rows below it. */
  readSplitRoot(): Promise<SplitRow | undefined>;
  /** Reads a range of rows, or all of them; without a read dependency where possible. */
  look(range?: RowRange): Promise<Row[]>;
  /** Notes whether these leaves show that calls overlap, for the rows that this one will write. */
  noteContested(leaves: readonly Leaf[]): void;
}

/**
 * Decides on the demands on one limit key by its rows. Changes nothing.
 *
 * Reads as few rows as it can: for a split limit one random row, or two. Only if these are short
 * does it look at the others.
 */
export async function decideByRows(
  all: Rows,
  demands: readonly Demand[],
  random: () => number,
): Promise<Decision> {
  const { phases, now } = all;
  const [phase] = phases;
  if (phase.effect === "unlimited") return decide(phases, [], demands, now);
  if (isRefusedByBan(phase, demands)) {
    return decide(phases, await all.look(), demands, now);
  }
  const root = await all.readSplitRoot();
  const [demand, ...others] = demands;
  const mayNeedFew = demand && demand.count >= 0 && demand.leave === 0;
  if (root && mayNeedFew && others.length === 0) {
    const decision = await decideBySomeRows(all, root, demand, random);
    if (decision) return decision;
  }
  return decide(phases, await all.read(), demands, now);
}

/** Decides on a demand by some rows of a split limit. Undefined if all rows must be read. */
async function decideBySomeRows(
  all: Rows,
  root: SplitRow,
  demand: Demand,
  random: () => number,
): Promise<Decision | undefined> {
  const { limit, now } = all;
  const owes = mayOwe(root);
  if (owes && demand.debt === "none") {
    const seen = await lookAround(all, demand);
    return decideBySeen(all, root, demand, seen, [], random);
  }
  const first = await readLeaf(all, root, 0, random);
  if (owes) return oweMore(all, root, demand, first, random);
  const one = balanceOf(limit, first, now);
  const readSecond = async (): Promise<[fuller: Balance, other: Balance]> => {
    const second = await readOtherLeaf(all, root, first, random);
    const other = balanceOf(limit, second, now);
    // The fuller one serves, so that the emptier one can recover.
    return other.value > one.value ? [other, one] : [one, other];
  };
  // Where calls take long, each row that is read counts: look before the second.
  const looksSoon = all.canLook && tookLong(first.row);
  const isOneEnough = looksSoon || isWellFilled(limit, one, demand.count);
  const read = isOneEnough ? [one] : await readSecond();
  const found = takeFromRows(all, read, demand);
  if (found) return found;
  const seen = await lookAround(all, demand, first);
  if (!seen.isEnough) {
    if (mayOweApart(all, demand, seen)) {
      return oweApart(all, root, demand, seen, one, random);
    }
    if (looksSoon && holdsOften(limit, seen.balances, demand.count)) {
      const [fuller] = await readSecond();
      const foundLate = takeFromRows(all, [fuller], demand);
      if (foundLate) return foundLate;
    }
  }
  return decideBySeen(all, root, demand, seen, read, random);
}

/**
 * Whether a single row may take the debt of a demand: if callers may overlap, since they would
 * conflict if all wrote row 0. The wait is then that of the row, which is longer than the limit's
 * by a few counts of that row.
 */
function mayOweApart(
  { phases, limit, now }: Rows,
  demand: Demand,
  { leaves, balances }: Pick<Seen, "leaves" | "balances">,
): boolean {
  return (
    mayMakeDebt(demand) &&
    phases.length === 1 &&
    limit.enforce &&
    !isLarge(limit, balances, demand.count) &&
    mayOverlap(limit, leaves, demand.count, now)
  );
}

/**
 * Takes from a single row where rows owe already. Undefined if all rows must be read.
 *
 * Looks at the others only where calls take long: elsewhere a look would take as long as the rest of
 * the call. A second row, which is read instead, keeps any from owing much more than others.
 */
async function oweMore(
  all: Rows,
  root: SplitRow,
  demand: Demand,
  first: Leaf,
  random: () => number,
): Promise<Decision | undefined> {
  const { limit, now } = all;
  const one = balanceOf(limit, first, now);
  if (!tookLong(first.row)) {
    const second = await readOtherLeaf(all, root, first, random);
    const other = balanceOf(limit, second, now);
    const leaves = [rootLeaf(root), first, second];
    // The one that pays sooner.
    const row = other.value * other.parts > one.value * one.parts ? other : one;
    const owing =
      mayOweApart(all, demand, { leaves, balances: [one, other] }) &&
      takeIntoDebt(limit, row, demand, now);
    if (owing) {
      const { writes, waitMs } = owing;
      const taken = [demand.count];
      return { ok: true, taken, writes, retryAfter: waitMs || undefined };
    }
  }
  const seen = await lookAround(all, demand);
  return mayOweApart(all, demand, seen)
    ? oweApart(all, root, demand, seen, one, random)
    : undefined;
}

/** Takes from a single row, into debt if need be. Undefined if all rows must be read. */
async function oweApart(
  all: Rows,
  root: SplitRow,
  demand: Demand,
  { balances, rows }: Seen,
  one: Balance,
  random: () => number,
): Promise<Decision | undefined> {
  const { phases, limit, now } = all;
  if (rows === undefined) return undefined;
  const decision = decide(phases, rows, [demand], now);
  if (!decision.ok) return decision;
  const chosen = rowToOwe(limit, one, balances, demand, random);
  if (chosen === undefined) return undefined;
  // If it has been split since the look, one of its parts.
  const row = await readLeaf(all, root, chosen.shard, random);
  const owing = takeIntoDebt(limit, balanceOf(limit, row, now), demand, now);
  if (owing === undefined) return undefined;
  const { writes, waitMs } = owing;
  const { retryAfter = 0 } = decision;
  const wait =
    demand.debt === "any" ? retryAfter : Math.max(retryAfter, waitMs);
  return { ...decision, writes, retryAfter: wait || undefined };
}

/** Decides on a demand by what a look shows. Undefined if all rows must be read. */
async function decideBySeen(
  all: Rows,
  root: SplitRow,
  demand: Demand,
  seen: Seen,
  read: readonly Balance[],
  random: () => number,
): Promise<Decision | undefined> {
  const { limit, now } = all;
  const { leaves, balances, isEnough } = seen;
  const least = leastOf(demand);
  if (demand.debt === "none" && !isEnough) {
    return refuseUnserved(all, root, demand, seen);
  }
  const there = mayOwe(root) ? withoutDebts(balances) : balances;
  // In a busy limit, calls that took whatever there is would meet in all rows.
  // A dry run cannot tell that it took less. Where rows owe, each has but a share of what there is.
  const isGreedy =
    demand.upTo &&
    limit.enforce &&
    !mayOwe(root) &&
    isBusy(limit, leaves, least, now);
  let from = there;
  if (isGreedy) {
    const own = randomRow(limit, read, least, random);
    from = own.length > 0 ? own : randomRow(limit, there, least, random);
  }
  return takeWhereSeen(all, root, demand, from, read, random);
}

/** The leaves that a look found, and their balances. */
type Seen = {
  leaves: readonly Leaf[];
  balances: Balance[];
  /** Whether to search them for what the demand takes at least. */
  isEnough: boolean;
  /** All rows that are stored; absent if the look showed only some leaves. */
  rows?: readonly Row[];
};

/**
 * Looks at all rows. If there are many, looks at some next to `near` first, if that is given, and
 * stops there if they are busy.
 */
async function lookAround(
  all: Rows,
  demand: Demand,
  near?: Leaf,
): Promise<Seen> {
  const { phases, limit, now } = all;
  const see = (leaves: readonly Leaf[], rows?: readonly Row[]): Seen => {
    all.noteContested(leaves);
    const balances = balancesOf(limit, leaves, now);
    const least = leastOf(demand);
    const isEnough = canServe(limit, leaves, least, now, balances);
    return { leaves, balances, isEnough, rows };
  };
  // To know what a later phase would grant, all rows are needed.
  const range =
    near && phases.length === 1 && rangeToLookAt(limit, demand, near);
  if (range) {
    const seen = see(leavesNear(near, range, await all.look(range)));
    if (isBusy(limit, seen.leaves, demand.count, now)) return seen;
  }
  const rows = await all.look();
  return see(leavesOf(limit, rows, now), rows);
}

/** The fewest tokens that a demand would take. */
function leastOf({ count, upTo }: Demand): number {
  return upTo ? 1 : count;
}

/** Refuses a demand that the rows seen do not serve; a dry run lets it through. */
function refuseUnserved(
  { limit, now }: Rows,
  root: SplitRow,
  demand: Demand,
  { leaves, balances, rows }: Seen,
): Decision {
  const least = leastOf(demand);
  if (!limit.enforce) {
    return { ok: true, taken: [0], writes: [], spared: [0] };
  }
  if (rows === undefined) {
    const forecast = forecastBySomeRows(limit, balances, least, now);
    return { ok: false, refused: [0], forecast };
  }
  // A caller who asks again may find rows that are busy, and look no further.
  const mayLookAtSome =
    !mayOwe(root) && leaves.some((leaf) => rangeToLookAt(limit, demand, leaf));
  const forecast: Forecast = {
    isGranted: (phase, time) =>
      !isIdle(rows, time) &&
      // Later, rows that are to be gathered may hold less than now, and another rule has other leaves.
      isUsable(phase.limit, rootOf(rows), now)
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
  all: Rows,
  root: SplitRow,
  demand: Demand,
  seen: readonly Balance[],
  read: readonly Balance[],
  random: () => number,
): Promise<Decision | undefined> {
  const { limit } = all;
  const count = countFrom(limit, total(seen), demand);
  const chosen: Balance[] = [];
  for (const one of rowsToTakeFrom(limit, seen, read, count, random)) {
    const row = await readSeen(all, root, one, random);
    if (row === undefined) return undefined;
    chosen.push(row);
  }
  if (chosen.length === 0) return undefined;
  return takeFromRows(all, chosen, { ...demand, count });
}

/** Takes from rows that were read. Undefined if they do not hold enough. */
function takeFromRows(
  { limit, now }: Rows,
  read: readonly Balance[],
  demand: Demand,
): Decision | undefined {
  const writes = takeFrom(limit, read, demand, now);
  return writes && { ok: true, taken: [demand.count], writes };
}

/** Reads a row that a look chose. Undefined if it has been split since. */
export async function readSeen(
  all: Rows,
  root: SplitRow,
  { shard }: Balance,
  random: () => number,
): Promise<Balance | undefined> {
  const leaf = await readLeaf(all, root, shard, random);
  return leaf.shard === shard ? balanceOf(all.limit, leaf, all.now) : undefined;
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
  return debt !== "none" || upTo || isLarge(limit, [near], count)
    ? undefined
    : rangeNear(near, POLICY.lookRows);
}
