import {
  decide,
  firstTime,
  project,
  TOLERANCE,
  type Decision,
  type State,
} from "../core/algebra.js";
import type { Limit, Request } from "../core/config.js";
import { sameRow, type Row, type Rows } from "./rows.js";

/** A decision, with the rows that its `states` run parallel to. */
export type Outcome = { decision: Decision; rows: readonly Row[] };

/**
 * A limit is busy if it refills faster than it is asked and some row was written
 * within this many ms. While it is, each new token draws every caller that looks
 * for one, and they collide.
 */
const BUSY_MS = 1000;

/**
 * The share of the rows that must be free before a search pays in a busy limit:
 * at (3 - sqrt 5) / 2 = 0.38 two looks at random rows just keep up with the refill.
 */
const FREE_SHARE = 3 / 8;

/** Two callers never fight over a lone token. */
const MIN_FREE = 2;

/** How full a busy limit must be before it serves a count that no single row holds. */
const FULL_SHARE = 3 / 4;

/** How many rows are looked at first, if there are more. */
const LOOK_ROWS = 16;

/**
 * Decides a request on a limit, reading as few rows as it can.
 *
 * The common path reads one row, at random, and takes from it. If that row is
 * short, so is perhaps only that row: a second one is read. Only then are all rows
 * looked at, without a read dependency, to learn whether there are tokens at all.
 */
export async function decideRows(
  limit: Limit,
  rows: Rows,
  request: Request,
  now: number,
  random: () => number,
): Promise<Outcome> {
  const n = limit.rows;
  if (n === 1) return decideOn(limit, [await rows.get(0)], request, now);

  const atHand = { ...request, reserve: false };
  const first = Math.floor(random() * n);
  const read = [await rows.get(first)];
  let outcome = decideOn(limit, read, atHand, now);
  if (outcome.decision.ok) return outcome;

  if (n > 2) {
    const step = 1 + Math.floor(random() * (n - 1));
    read.unshift(await rows.get((first + step) % n));
    outcome = decideOn(limit, read, atHand, now);
    if (outcome.decision.ok) return outcome;
  }

  const seen = await lookAround(limit, rows, request, now, first);
  const all = (): Promise<Outcome> => decideAll(limit, rows, request, now);
  // The snapshot lacks what this mutation has written before.
  if (read.some((row) => disagrees(row, seen))) return all();
  const plan = planSearch(limit, seen, read, request, now, random);
  const isShort = "retryAfter" in plan || plan.request.reserve;
  if (isShort && (await rows.maySeeTooLittle())) return all();
  if ("retryAfter" in plan) {
    return { decision: { ok: false, retryAfter: plan.retryAfter }, rows: [] };
  }
  const chosen: Row[] = [];
  for (const shard of plan.shards) chosen.push(await rows.get(shard));
  outcome = decideOn(limit, chosen, plan.request, now);
  return outcome.decision.ok ? outcome : all();
}

/**
 * Puts `count` tokens back, as far as they find room below the capacity, and
 * returns how many did. Reads and writes one random row if it has the room; else
 * looks at all rows and fills the emptiest first.
 */
export async function creditRows(
  limit: Limit,
  rows: Rows,
  count: number,
  now: number,
  random: () => number,
): Promise<number> {
  const n = limit.rows;
  const { share } = limit;
  const roomIn = (row: Row) =>
    share.capacity - project(share, row.state, now).value;
  const fill = (chosen: readonly Row[], amount: number) => {
    let left = amount;
    for (const row of chosen) {
      const balance = project(share, row.state, now);
      const given = Math.min(left, share.capacity - balance.value);
      if (given <= 0) continue;
      const value = balance.value + given;
      rows.set(limit, row.shard, { value, ts: balance.ts });
      left -= given;
    }
    return amount - left;
  };
  const first = await rows.get(Math.floor(random() * n));
  if (n === 1 || roomIn(first) >= count) return fill([first], count);

  const seen = await rows.look(0, n, n);
  const room = new Map(seen.map((row) => [row.shard, roomIn(row)]));
  room.set(first.shard, roomIn(first));
  const emptiest = [...room.keys()]
    .filter((shard) => room.get(shard)! > 0)
    .sort((a, b) => room.get(b)! - room.get(a)!);
  const chosen: Row[] = [];
  for (const shard of takeUntil(emptiest, (s) => room.get(s)!, count)) {
    chosen.push(await rows.get(shard));
  }
  const given = fill(chosen, count);
  if (count - given <= TOLERANCE || !(await rows.maySeeTooLittle())) {
    return given;
  }
  return given + fill(await rows.getAll(n), count - given);
}

type Plan = { shards: number[]; request: Request } | { retryAfter: number };

/** Which rows to read and take from, or when to come back. Pure. */
function planSearch(
  limit: Limit,
  seen: readonly Row[],
  read: readonly Row[],
  request: Request,
  now: number,
  random: () => number,
): Plan {
  const { count } = request;
  const atHand = { count, reserve: false };
  const grants = (at: number) => mayServe(limit, seen, atHand, at);
  const balances = new Map(
    seen.map(({ shard, state }) => [
      shard,
      project(limit.share, state, now).value,
    ]),
  );
  const value = (shard: number) => balances.get(shard) ?? -Infinity;
  const fullest = [...balances.keys()].sort((a, b) => value(b) - value(a));
  const readFirst = [...new Set([...read.map((row) => row.shard), ...fullest])];

  if (grants(now)) {
    const free = fullest.filter((shard) => value(shard) >= count - TOLERANCE);
    if (free.length > 0) {
      const shard = free[Math.floor(random() * free.length)]!;
      return { shards: [shard], request: atHand };
    }
    const holding = readFirst.filter((shard) => value(shard) > 0);
    return { shards: takeUntil(holding, value, count), request: atHand };
  }
  if (!request.reserve) {
    return { retryAfter: firstTime((ms) => grants(now + ms)) };
  }
  const { decision } = decideOn(limit, seen, request, now);
  if (!decision.ok) return { retryAfter: decision.retryAfter };
  const room = (shard: number) =>
    Math.max(0, value(shard) + limit.share.maxReserved);
  const shards = takeUntil(readFirst, room, count, leastDebtors(limit, count));
  return { shards, request };
}

/**
 * Over how many rows a debt is spread: so many that none takes more than it can
 * hold or refills in a period, for the wait grows with the debt of a row.
 */
function leastDebtors(limit: Limit, count: number): number {
  const size = Math.max(limit.share.capacity, limit.share.rate);
  return Math.min(limit.rows, Math.max(2, Math.ceil(count / size)));
}

/** Whether a search among these rows at the time `at` would be made and succeed. */
function mayServe(
  limit: Limit,
  seen: readonly Row[],
  { count }: Request,
  at: number,
): boolean {
  const values = seen.map(({ state }) => project(limit.share, state, at).value);
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total < count - TOLERANCE) return false;
  if (count === 0 || !isBusy(limit, seen, count, at)) return true;
  if (count > limit.share.capacity) {
    return total >= FULL_SHARE * limit.share.capacity * seen.length;
  }
  const free = values.reduce(
    (sum, value) => sum + Math.max(0, Math.floor((value + TOLERANCE) / count)),
    0,
  );
  return free >= Math.max(MIN_FREE, FREE_SHARE * seen.length);
}

/**
 * A row written at this very instant does not make a limit busy: on a frozen
 * clock, as in unit tests, the search is exact.
 */
function isBusy(
  limit: Limit,
  seen: readonly Row[],
  count: number,
  at: number,
): boolean {
  const refillPerSecond = (limit.whole.rate * 1000) / limit.whole.period;
  if (refillPerSecond <= count) return false;
  return seen.some(
    ({ usedAt }) =>
      usedAt !== undefined && usedAt < at && usedAt > at - BUSY_MS,
  );
}

/** The first rows of `shards`, at least `least`, that together hold `count`. */
function takeUntil(
  shards: readonly number[],
  holds: (shard: number) => number,
  count: number,
  least = 0,
): number[] {
  const taken: number[] = [];
  let sum = 0;
  for (const shard of shards) {
    if (taken.length >= least && sum >= count - TOLERANCE) break;
    taken.push(shard);
    sum += holds(shard);
  }
  return taken;
}

/** All rows, or if there are many and the first ones are busy, only those. */
async function lookAround(
  limit: Limit,
  rows: Rows,
  { count, reserve }: Request,
  now: number,
  first: number,
): Promise<Row[]> {
  const n = limit.rows;
  if (n > LOOK_ROWS && count <= limit.share.capacity && !reserve) {
    const some = await rows.look(first, LOOK_ROWS, n);
    if (isBusy(limit, some, count, now)) return some;
  }
  return rows.look(0, n, n);
}

async function decideAll(
  limit: Limit,
  rows: Rows,
  request: Request,
  now: number,
): Promise<Outcome> {
  return decideOn(limit, await rows.getAll(limit.rows), request, now);
}

function decideOn(
  limit: Limit,
  rows: readonly Row[],
  request: Request,
  now: number,
): Outcome {
  const states: (State | null)[] = rows.map((row) => row.state);
  return { decision: decide(limit, states, request, now), rows };
}

function disagrees(row: Row, seen: readonly Row[]): boolean {
  const same = seen.find(({ shard }) => shard === row.shard);
  return same !== undefined && !sameRow(row, same);
}
