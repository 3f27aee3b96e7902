import {
  decide,
  type Decision,
  isRefusedByBan,
  takeFrom,
  takeIntoDebt,
} from "../../core/decide.js";
import { countFrom, type Demand, mayMakeDebt } from "../../core/demand.js";
import { partOfLimit, type Limit } from "../../core/limit.js";
import type { Phases } from "../../core/phases.js";
import {
  balancesOf,
  canServe,
  doOverlap,
  drawTwo,
  held,
  isBusy,
  rowsWith,
  timeWhenServed,
  withAll,
} from "../../core/policy.js";
import {
  type Balance,
  balanceOf,
  isIdle,
  isUsable,
  leavesOf,
  rootOf,
  type Row,
  type SplitRow,
  total,
} from "../../core/rows.js";
import type { Leaf } from "../../core/tree.js";
import { type Forecast, wouldGrantAll } from "../../core/wait.js";
import { readLeaf, readShard, type Tree } from "./walk.js";

/** The rows of one limit key, and what they count by. */
export interface Rows extends Tree {
  readonly phases: Phases;
  /** The limit of the first phase. */
  readonly limit: Limit;
  readonly now: number;
  /** Reads row 0, and returns it if the limit is split over the rows below it. */
  readSplitRoot(): Promise<SplitRow | undefined>;
  /** Reads all rows, without a read dependency where possible. */
  look(): Promise<Row[]>;
  /** Notes that calls overlap, for the rows that this call will write. */
  noteOverlap(): void;
}

/**
 * Decides on the demands on one limit key by its rows. Changes nothing.
 *
 * Reads as few rows as it can: for a split limit one random row. Only if that is short does it look
 * at the others.
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
  const read: Balance[] = [];
  for (const nth of drawTwo(root.into, random)) {
    const leaf = await readLeaf(all, root, [nth], random);
    const row = balanceOf(limit, leaf, now);
    const found = takeFromRows(all, [row], demand);
    if (found) return found;
    read.push(row);
  }
  const rows = await all.look();
  const leaves = leavesOf(limit, rows, now);
  if (doOverlap(leaves, now)) all.noteOverlap();
  const balances = balancesOf(limit, leaves, now);
  const least = demand.upTo ? 1 : demand.count;
  const isServed = canServe(limit, leaves, least, now, balances);
  const busy = isBusy(leaves, now);
  if (!isServed) {
    return mayMakeDebt(demand)
      ? oweInOne(all, demand, read, busy)
      : refuse(all, least, demand, leaves, rows);
  }
  // In a busy limit, calls that took whatever there is would meet in all rows.
  const isGreedy = demand.upTo && limit.enforce && busy;
  const own = isGreedy ? withAll(limit, read, held, least) : [];
  const from = !isGreedy
    ? balances
    : rowsWith(limit, own.length > 0 ? own : balances, held, least, random);
  const count = countFrom(limit, total(from), demand);
  const chosen: Balance[] = [];
  for (const { shard } of rowsWith(limit, from, held, count, random)) {
    const leaf = await readShard(all, root, shard, random);
    chosen.push(balanceOf(limit, leaf, now));
  }
  return takeFromRows(all, chosen, { ...demand, count });
}

/**
 * Takes a debt from one of the rows read, in a busy limit: it is paid when that row has paid it.
 * Undefined if all rows must be read: if calls do not overlap, or the debt is larger than a row.
 */
function oweInOne(
  { phases, limit, now }: Rows,
  demand: Demand,
  read: readonly Balance[],
  busy: boolean,
): Decision | undefined {
  const fuller = read.reduce((a, b) => (b.value > a.value ? b : a));
  const isLarge = demand.count > partOfLimit(limit, fuller.parts).capacity;
  if (!busy || isLarge || phases.length > 1 || !limit.enforce) return undefined;
  const owing = takeIntoDebt(limit, fuller, demand, now);
  if (owing === undefined) return undefined;
  const { writes, waitMs } = owing;
  const taken = [demand.count];
  return { ok: true, taken, writes, retryAfter: waitMs || undefined };
}

/** Refuses a demand that the rows do not serve; a dry run lets it through. */
function refuse(
  { limit, now }: Rows,
  least: number,
  demand: Demand,
  leaves: readonly Leaf[],
  rows: readonly Row[],
): Decision {
  if (!limit.enforce) {
    return { ok: true, taken: [0], writes: [], spared: [0] };
  }
  const forecast: Forecast = {
    isGranted: (phase, time) =>
      !isIdle(rows, time) &&
      // Later, rows that are to be gathered may hold less than now, and another rule has other leaves.
      isUsable(phase.limit, rootOf(rows), now)
        ? canServe(phase.limit, leaves, least, time)
        : wouldGrantAll(phase, rows, [demand], time),
    guess: (phase, from) => timeWhenServed(phase.limit, leaves, least, from),
  };
  return { ok: false, refused: [0], forecast };
}

/** Takes from rows that were read. Undefined if they do not hold enough. */
function takeFromRows(
  { limit, now }: Rows,
  read: readonly Balance[],
  demand: Demand,
): Decision | undefined {
  const writes = read.length > 0 && takeFrom(limit, read, demand, now);
  return writes ? { ok: true, taken: [demand.count], writes } : undefined;
}
