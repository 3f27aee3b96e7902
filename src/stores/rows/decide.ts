import {
  decide,
  type Decision,
  isRefusedByBan,
  takeFrom,
  takeIntoDebt,
} from "../../core/decide.js";
import { countFrom, type Demand } from "../../core/demand.js";
import { type Limit, partOfLimit } from "../../core/limit.js";
import {
  forecastBySomeRows,
  balancesOf,
  isWellFilled,
  isBusy,
  isLarge,
  canServe,
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
} from "../../core/tree.js";
import { type Forecast, wouldGrantAll } from "../../core/wait.js";
import type { Phases } from "../../core/phases.js";
import { readLeaf, readRandomLeaf, type Tree } from "./walk.js";

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
  /** Notes that a row may be in debt from now on, for the row 0 that this call will write. */
  noteOwing(): void;
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
    const decision = mayOwe(root)
      ? await decideWhereRowsOwe(all, root, demand, random)
      : await decideBySomeRows(all, root, demand, random);
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
  const { count } = demand;
  const first = await readRandomLeaf(all, root, random);
  const one = balanceOf(limit, first, now);
  const readSecond = async () => {
    const second = await readRandomLeaf(all, root, random, first);
    const other = balanceOf(limit, second, now);
    // The fuller one serves, so that the emptier one can recover.
    return other.value > one.value ? [other, one] : [one, other];
  };
  const takeFromRead = (read: readonly Balance[]): Decision | undefined => {
    const writes = takeFrom(limit, read, demand, now);
    return writes && { ok: true, taken: [count], writes };
  };
  // Where calls take long, each row that is read counts: look before the second.
  const looksSoon = all.canLook && tookLong(first.row);
  const isOneEnough = looksSoon || isWellFilled(limit, one, count);
  const read = isOneEnough ? [one] : await readSecond();
  const found = takeFromRead(read);
  if (found) return found;
  const seen = await lookAround(all, demand, first);
  const { leaves, balances } = seen;
  if (!canServe(limit, leaves, leastOf(demand), now, balances)) {
    if (mayOweApart(all, demand, seen)) {
      return oweApart(all, root, demand, seen, random);
    }
    const foundLate = looksSoon && takeFromRead(await readSecond());
    if (foundLate) return foundLate;
  }
  return decideBySeen(all, root, demand, seen, read, random);
}

/**
 * Whether a single row may take the debt of a demand: if the limit is busy, since callers would
 * conflict if all wrote row 0. The wait is then that of the row, which is longer than the limit's
 * by a few counts of that row.
 */
function mayOweApart(
  { phases, limit, now }: Rows,
  { count, debt }: Demand,
  { leaves, balances }: Seen,
): boolean {
  return (
    (debt === "reserve" || debt === "any") &&
    phases.length === 1 &&
    limit.enforce &&
    !isLarge(limit, balances, count) &&
    isBusy(limit, leaves, count, now)
  );
}

/** Decides on a demand where each row may be in debt. Undefined if all rows must be read. */
async function decideWhereRowsOwe(
  all: Rows,
  root: SplitRow,
  demand: Demand,
  random: () => number,
): Promise<Decision | undefined> {
  const seen = await lookAround(all, demand);
  if (mayOweApart(all, demand, seen)) {
    return oweApart(all, root, demand, seen, random);
  }
  return demand.debt === "none"
    ? decideBySeen(all, root, demand, seen, [], random)
    : undefined;
}

/** Takes from a single row, into debt if need be. Undefined if all rows must be read. */
async function oweApart(
  all: Rows,
  root: SplitRow,
  demand: Demand,
  { balances, rows }: Seen,
  random: () => number,
): Promise<Decision | undefined> {
  const { phases, limit, now } = all;
  const decision = decide(phases, rows!, [demand], now);
  if (!decision.ok) return decision;
  const chosen = rowToOwe(limit, balances, demand, random);
  const leaf = chosen && (await readLeaf(all, root, chosen.shard));
  // It may have been split since the look.
  if (leaf === undefined || leaf.shard !== chosen?.shard) return undefined;
  const owing = takeIntoDebt(limit, balanceOf(limit, leaf, now), demand, now);
  if (owing === undefined) return undefined;
  const { writes, waitMs } = owing;
  if (writes.length > 0) all.noteOwing();
  const { retryAfter = 0 } = decision;
  const wait =
    demand.debt === "any" ? retryAfter : Math.max(retryAfter, waitMs);
  return { ...decision, writes, retryAfter: wait > 0 ? wait : undefined };
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
  const { leaves, balances } = seen;
  const least = leastOf(demand);
  const mayBeRefused = demand.debt === "none";
  if (mayBeRefused && !canServe(limit, leaves, least, now, balances)) {
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
  const from = isGreedy ? randomRow(limit, there, least, random) : there;
  return takeWhereSeen(all, root, demand, from, read, random);
}

/** The leaves that a look found, and their balances. */
type Seen = {
  leaves: readonly Leaf[];
  balances: Balance[];
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
  // To know what a later phase would grant, all rows are needed.
  const range =
    phases.length > 1 ? undefined : near && rangeToLookAt(limit, demand, near);
  const see = (leaves: readonly Leaf[], rows?: readonly Row[]): Seen => {
    all.noteContested(leaves);
    return { leaves, balances: balancesOf(limit, leaves, now), rows };
  };
  if (near && range) {
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
  const { limit, now } = all;
  const count = countFrom(limit, total(seen), demand);
  const chosen: Balance[] = [];
  for (const shard of rowsToTakeFrom(limit, seen, read, count, random)) {
    const leaf = await readLeaf(all, root, shard);
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
