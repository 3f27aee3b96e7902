import { amountOf, type Demand } from "../../core/grant.js";
import {
  decide,
  isBarred,
  takeFrom,
  type Decision,
} from "../../core/decide.js";
import { isGranted, type Forecast } from "../../core/wait.js";
import {
  firstRow,
  heldBy,
  isAmple,
  isBusy,
  isServed,
  rowsToLookAt,
  rowsToTakeFrom,
  secondRow,
  timeWhenServed,
  type Seen,
} from "../../core/policy.js";
import {
  dependOnEachOther,
  holding,
  isOutdated,
  newest,
  speaksForItself,
  total,
  type Held,
  type Row,
} from "../../core/rows.js";
import type { Phases } from "../../core/phases.js";
import type { Limit } from "../../core/limit.js";
import type { Ledger } from "../stores/ledger.js";
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
  const [{ effect, limit }] = phases;
  if (effect === "unlimited") return decide(phases, [], demands, now);
  if (limit.shards === 1 || isBarred(phases[0], demands)) {
    return decide(phases, await ledger.look(), demands, now);
  }
  const [demand] = demands;
  if (demands.length === 1 && demand!.leave === 0) {
    const decision = await search(ledger, phases, demand!, now, random);
    if (decision !== undefined) return decision;
  }
  return decide(phases, await ledger.read(), demands, now);
}

/** Decides by some rows of a split limit; undefined if all must be read. */
async function search(
  ledger: Ledger,
  phases: Phases,
  demand: Demand,
  now: number,
  random: () => number,
): Promise<Decision | undefined> {
  const [{ limit }] = phases;
  const { count } = demand;
  const first = firstRow(limit, random);
  const row = await readRow(ledger, limit, first, now);
  if (row === undefined) return undefined;
  const read = [row];
  if (!isAmple(limit, row.value, count)) {
    const second = secondRow(limit, first, random);
    const other = await readRow(ledger, limit, second, now);
    if (other === undefined) return undefined;
    // The fuller one serves, so that the emptier one can recover.
    if (other.value > row.value) read.unshift(other);
    else read.push(other);
  }
  const atHand = takeFrom(limit, read, demand, now);
  if (atHand !== undefined) return granted(count, atHand);

  const { rows, seen } = await lookAround(ledger, limit, demand, first, now);
  if (isOutdated(limit, rows, now)) return undefined;
  const least = demand.upTo ? 1 : count;
  const held = heldBy(limit, seen, now);
  if (demand.debt === "none" && !isServed(limit, seen, least, now, held)) {
    if (!limit.enforce) {
      return { ok: true, taken: [0], writes: [], wouldDeny: [0] };
    }
    const forecast: Forecast = {
      isGranted: (phase, at) =>
        phase.effect === "limited" && !isOutdated(phase.limit, rows, at)
          ? isServed(phase.limit, seen, least, at)
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
    const row = await readRow(ledger, limit, shard, now);
    if (row === undefined) return undefined;
    chosen.push(row);
  }
  if (chosen.length === 0) return undefined;
  const found = takeFrom(limit, chosen, { ...demand, count: amount }, now);
  return found === undefined ? undefined : granted(amount, found);
}

function granted(amount: number, writes: Row[]): Decision {
  return { ok: true, taken: [amount], writes };
}

/** What one row holds; undefined if that depends on the other rows. */
export async function readRow(
  ledger: Ledger,
  limit: Limit,
  shard: number,
  now: number,
): Promise<Held | undefined> {
  const [row] = await ledger.read(shard);
  if (speaksForItself(limit, row, now)) return holding(limit, row, shard, now);
  const rows = await ledger.look();
  if (dependOnEachOther(limit, rows, now)) return undefined;
  return holding(limit, row, shard, now, newest(rows, now));
}

/** Looks at all rows. If there are many, looks at some first, and stops there if they are busy. */
async function lookAround(
  ledger: Ledger,
  limit: Limit,
  { count, debt, upTo }: Demand,
  first: number,
  now: number,
): Promise<{ rows: Row[]; seen: Seen }> {
  const { shards } = limit;
  const some = debt === "none" && !upTo ? rowsToLookAt(limit, count) : shards;
  if (some < shards) {
    const rows = await ledger.look(first, some);
    const seen = toSeen(rows, first, some, shards);
    if (isBusy(limit, seen, count, now)) return { rows, seen };
  }
  const rows = await ledger.look();
  return { rows, seen: toSeen(rows, 0, shards, shards) };
}

/** `count` shards from `first` on, with their rows. */
function toSeen(
  rows: readonly Row[],
  first: number,
  count: number,
  shards: number,
): Seen {
  const byShard: (Row | undefined)[] = [];
  for (const row of rows) byShard[row.shard] = row;
  const seen: Seen = [];
  for (let i = first; i < first + count; i++) {
    const shard = i % shards;
    seen.push({ shard, row: byShard[shard] });
  }
  return seen;
}
