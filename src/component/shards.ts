import {
  decide,
  firstTime,
  project,
  TOLERANCE,
  toleranceOf,
  type Decision,
  type State,
} from "../core/algebra.js";
import type { Limit, Request } from "../core/config.js";
import { sameRow, type Row, type Rows } from "./rows.js";

/** A decision, with the rows that its `states` run parallel to. */
export type Outcome = { decision: Decision; rows: readonly Row[] };

/**
 * The row at hand serves alone if it holds this many times the count, or this
 * share of its capacity. Else the fuller of two serves, so that no row loses its
 * refill for being full while others are empty.
 */
const AMPLE_COUNTS = 2;
const AMPLE_SHARE = 1 / 2;

/**
 * A limit is busy if some row was written within this many ms and it refills
 * faster than the next constants say. While it is, each new token draws every
 * caller that looks for one, and they collide.
 */
const BUSY_MS = 1000;

/** How many counts a second a limit refills at most for a search to be harmless. */
const CALM_COUNTS_PER_SECOND = 1;

/** The same for a count that no single row can hold: it depends on a search. */
const CALM_LARGE_COUNTS_PER_SECOND = 5;

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
 * The common path reads one row, at random, and takes from it. If little is left
 * in that row, a second one is read. Only if those two cannot serve are all rows
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

  const value = (row: Row) => project(limit.share, row.state, now).value;
  const first = Math.floor(random() * n);
  const read = [await rows.get(first)];
  if (n > 2 && !isAmple(limit, value(read[0]!), request.count)) {
    const step = 1 + Math.floor(random() * (n - 1));
    const second = await rows.get((first + step) % n);
    if (value(second) > value(read[0]!)) read.unshift(second);
    else read.push(second);
  }
  const held = read.reduce((sum, row) => sum + value(row), 0);
  const fullest = value(read[0]!);
  if (suffices(limit, Math.max(held, fullest), request.count)) {
    return decideOn(limit, read, { ...request, reserve: false }, now);
  }

  let seen = await lookAround(limit, rows, request, now, first);
  const plan = () => planSearch(limit, seen, read, request, now, random);
  let planned = plan();
  const isShort = "retryAfter" in planned || planned.request.reserve;
  // A look lacks what this mutation has written before. Where that may matter, the rows
  // are read, but not of a busy limit: the mutation would collide with every other.
  const mayLack =
    read.some((row) => disagrees(row, seen)) ||
    (isShort &&
      !isBusy(limit, seen, request.count, now) &&
      (await rows.maySeeTooLittle()));
  if (mayLack) {
    seen = await rows.getAll(n);
    planned = plan();
  }
  if ("retryAfter" in planned) {
    const { retryAfter } = planned;
    return { decision: { ok: false, retryAfter }, rows: [] };
  }
  const chosen = await rows.getSome(planned.shards);
  const outcome = decideOn(limit, chosen, planned.request, now);
  if (outcome.decision.ok) return outcome;
  return decideOn(limit, await rows.getAll(n), request, now);
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
  const chosen = takeUntil(emptiest, (shard) => room.get(shard)!, count);
  const given = fill(await rows.getSome(chosen), count);
  if (count - given <= TOLERANCE || !(await rows.maySeeTooLittle())) {
    return given;
  }
  return given + fill(await rows.getAll(n), count - given);
}

function isAmple(limit: Limit, value: number, count: number): boolean {
  const { share } = limit;
  const ample = Math.min(AMPLE_COUNTS * count, AMPLE_SHARE * share.capacity);
  return suffices(limit, value, Math.max(count, ample));
}

/** Whether so many tokens are enough, but for rounding errors. */
function suffices({ whole }: Limit, value: number, count: number): boolean {
  return value - count >= -toleranceOf(whole);
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
  const grants = (at: number) => mayServe(limit, seen, count, at);
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
    const free = fullest.filter((shard) =>
      suffices(limit, value(shard), count),
    );
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
 * hold or refills in a period, for the wait grows with the debt of a row. As a rule
 * that is one, the fuller of the two that were read.
 */
function leastDebtors(limit: Limit, count: number): number {
  const size = Math.max(limit.share.capacity, limit.share.rate);
  return Math.min(limit.rows, Math.max(1, Math.ceil(count / size)));
}

/** Whether a search among these rows at the time `at` would be made and succeed. */
function mayServe(
  limit: Limit,
  seen: readonly Row[],
  count: number,
  at: number,
): boolean {
  const values = seen.map(({ state }) => project(limit.share, state, at).value);
  const total = values.reduce((sum, value) => sum + value, 0);
  if (!suffices(limit, total, count)) return false;
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
  const { whole, share } = limit;
  const calm =
    count > share.capacity
      ? CALM_LARGE_COUNTS_PER_SECOND
      : CALM_COUNTS_PER_SECOND;
  if ((whole.rate * 1000) / whole.period <= calm * count) return false;
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
