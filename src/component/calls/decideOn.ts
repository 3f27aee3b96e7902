import { amountOf, type Demand } from "../../core/grant.js";
import {
  decide,
  isBarred,
  takeFrom,
  type Decision,
} from "../../core/decide.js";
import { isGranted, type Forecast } from "../../core/wait.js";
import {
  forecastByFew,
  heldBy,
  isAmple,
  isBusy,
  isServed,
  POLICY,
  rowsToTakeFrom,
  timeWhenServed,
  type Seen,
} from "../../core/policy.js";
import { isForgotten, type Row, type Signpost } from "../../core/row.js";
import {
  fits,
  holding,
  leavesOf,
  rootOf,
  total,
  type Held,
} from "../../core/rows.js";
import type { Phases } from "../../core/phases.js";
import { shareOf, type Limit } from "../../core/limit.js";
import {
  leavesNear,
  rangeNear,
  type Leaf,
  type Range,
} from "../../core/tree.js";
import type { Ledger } from "../stores/ledger.js";
import { readAny, readLeaf, rootOfSplit } from "./leaf.js";
import type { OpenLimit } from "./open.js";

/**
 * Decides the demands on one limit and key. Changes nothing.
 *
 * Reads as few rows as it can: of a split limit one random row, or two. Only if these are short
 * does it look at the others.
 */
export async function decideOn(
  { ledger, phases, now }: OpenLimit,
  demands: readonly Demand[],
  random: () => number,
): Promise<Decision> {
  const [{ effect }] = phases;
  if (effect === "unlimited") return decide(phases, [], demands, now);
  const root = isBarred(phases[0], demands)
    ? undefined
    : await rootOfSplit(ledger);
  if (root === undefined) {
    return decide(phases, await ledger.look(), demands, now);
  }
  const [demand] = demands;
  if (demands.length === 1 && demand!.leave === 0) {
    const decision = await search(ledger, root, phases, demand!, now, random);
    if (decision !== undefined) return decision;
  }
  return decide(phases, await ledger.read(), demands, now);
}

/** Decides by some rows of a split limit; undefined if all must be read. */
async function search(
  ledger: Ledger,
  root: Signpost,
  phases: Phases,
  demand: Demand,
  now: number,
  random: () => number,
): Promise<Decision | undefined> {
  const [{ limit }] = phases;
  const { count } = demand;
  const first = await readAny(ledger, root, random);
  const row = holding(limit, first, now);
  const read = [row];
  if (!isAmple(limit, row, count)) {
    const second = await readAny(ledger, root, random, first);
    const other = holding(limit, second, now);
    // The fuller one serves, so that the emptier one can recover.
    if (other.value > row.value) read.unshift(other);
    else read.push(other);
  }
  const atHand = takeFrom(limit, read, demand, now);
  if (atHand !== undefined) return granted(count, atHand);

  const { rows, seen, isFew } = await lookAround(
    ledger,
    phases,
    demand,
    first,
    now,
  );
  const least = demand.upTo ? 1 : count;
  const held = heldBy(limit, seen, now);
  if (demand.debt === "none" && !isServed(limit, seen, least, now, held)) {
    if (!limit.enforce) {
      return { ok: true, taken: [0], writes: [], wouldDeny: [0] };
    }
    if (isFew) {
      const forecast = forecastByFew(limit, held, least, now);
      return { ok: false, refused: [0], forecast };
    }
    const stored = rootOf(rows) ?? root;
    // Who asks again may find rows that are busy, and look no further.
    const mayLookAtFew = seen.some((leaf) => someNear(limit, demand, leaf));
    const forecast: Forecast = {
      isGranted: (phase, at) =>
        phase.effect === "limited" &&
        !isForgotten(rows, at) &&
        (phase.limit === limit || fits(phase.limit, stored))
          ? isServed(phase.limit, seen, least, at) &&
            !(mayLookAtFew && isBusy(phase.limit, seen, least, at))
          : isGranted(phase, rows, [demand], at),
      guess: (phase, from) =>
        phase.limit === limit && from === now
          ? timeWhenServed(limit, seen, least, from, held)
          : timeWhenServed(phase.limit, seen, least, from),
    };
    return { ok: false, refused: [0], forecast };
  }
  const amount = amountOf(limit, total(held), demand);
  const chosen: Held[] = [];
  for (const shard of rowsToTakeFrom(limit, held, read, amount, random)) {
    const leaf = await readLeaf(ledger, root, shard);
    // It may have been split since the look.
    if (leaf.shard !== shard) return undefined;
    chosen.push(holding(limit, leaf, now));
  }
  if (chosen.length === 0) return undefined;
  const found = takeFrom(limit, chosen, { ...demand, count: amount }, now);
  return found === undefined ? undefined : granted(amount, found);
}

function granted(amount: number, writes: Row[]): Decision {
  return { ok: true, taken: [amount], writes };
}

/**
 * Looks at all rows. If there are many, looks at some beside `near` first, and stops there if they
 * are busy.
 */
async function lookAround(
  ledger: Ledger,
  phases: Phases,
  demand: Demand,
  near: Leaf,
  now: number,
): Promise<{ rows: readonly Row[]; seen: Seen; isFew?: true }> {
  const [{ limit }] = phases;
  // To know what a later phase would grant, all rows are needed.
  const range = phases.length > 1 ? undefined : someNear(limit, demand, near);
  if (range !== undefined) {
    const looked = await ledger.look(range.first, range.count);
    const rows = [near.parent!, ...looked];
    const seen = leavesNear(near, range, looked);
    if (isBusy(limit, seen, demand.count, now))
      return { rows, seen, isFew: true };
  }
  const rows = await ledger.look();
  return { rows, seen: leavesOf(limit, rows, now) };
}

/** The rows beside one that may tell that a limit is busy; undefined if all must. */
function someNear(
  limit: Limit,
  { count, debt, upTo }: Demand,
  near: Leaf,
): Range | undefined {
  const isLarge = count > shareOf(limit, near.parts).capacity;
  return debt !== "none" || upTo || isLarge
    ? undefined
    : rangeNear(near, POLICY.lookRows);
}
