import { MAX_SHARDS } from "./checks.js";
import {
  AMPLE_TOKENS,
  type Limit,
  MIN_TOKENS_PER_ROW,
  partOfLimit,
} from "./limit.js";
import { POLICY, refillsFast, tookLong } from "./policy.js";
import {
  lastUsedAt,
  LONGEST_RUN_MS,
  runMsOf,
  toRow,
  type Row,
} from "./rows.js";
import {
  childShard,
  type Leaf,
  MAX_LEVELS,
  pathTo,
  MAX_FAN_OUT,
} from "./tree.js";

/**
 * When a limit splits a row, and when it gathers its rows.
 *
 * The measure is `calm`, a decaying mean: how long a row rests between two writes, divided by how
 * long a write takes, from its start until others see it. At 1 and below, about every second call
 * finds that another one has written the row meanwhile, and conflicts.
 *
 * bench/RESULTS.md has the simulations behind these numbers.
 */
export const HEAT = {
  /** The weight of the newest rest in the mean. */
  smoothing: 1 / 3,
  /**
   * A write at most this many ms ago leaves `calm` as it is. (Tests with a frozen clock set -1.)
   */
  stillMs: 0,
  /** The `calm` of a row about which nothing is known. */
  unknown: 2,
  /** The same for a row that would be written all the time if the limit were used at its rate. */
  unknownIfFast: 1,
  /** Longer rests count as this long. */
  longest: 20,
  /** A row is split if its calm is below this. */
  splitBelow: 1,
  /** A row below row 0 is split if its calm is below this, as long as tokens are ample. */
  splitAgainBelow: 1.5,
  /**
   * How many writes at a time, on average, a row can bear: 15% of the calls then conflict. A call
   * that may owe splits a row below row 0 that bears no more, as far as it can be split.
   */
  bearable: 0.15,
  /** A hot row below row 0 is split into at least this many, if its tokens are ample. */
  fanOut: 16,
  /** A mildly hot one is split into at least this many, if its tokens are ample. */
  fanOutIfMild: 8,
  /** A split leaves each row this many tokens, unless the heat asks for more rows. */
  ampleTokens: AMPLE_TOKENS,
  /**
   * If a write takes at least this many ms, even ten calls a second conflict. Then a split leaves
   * each row two tokens, by default as with `shards: "auto"`: better a call that is denied although
   * another row has a token than one that fails. So does a split by a call that reserves or charges,
   * which needs no tokens; and one token if a write takes `POLICY.longRunMs`.
   */
  ratherLongMs: 50,
  /** A hot row gets this share of the rows that it seems to need, since the mean lags behind. */
  trust: 0.5,
  /** About how long after its commit a write becomes visible to others, in ms. */
  unseenMs: 5,
  /** A call may ask to shrink the limit only if its row is calmer than this. */
  shrinkAbove: 12,
  /** It may ask only if its row was split off longer ago than this, in ms. */
  restMs: 600_000,
  /** One in this many such calls asks; fewer, if the limit has fewer rows than this. */
  askEvery: 64,
  /** A limit keeps this many times the rows that it needs, or it would split again at once. */
  spare: 2,
  /** It shrinks only if it would keep at most this share of its rows. */
  shrinkTo: 1 / 4,
  /**
   * It shrinks only if at most this many rows were written in the last second, since it conflicts
   * with their writers.
   */
  mostWrites: 20,
} as const;

/**
 * How long the last write of a row took, and how long ago it was seen, in ms; and whether these
 * times can be right.
 */
function lastWrite(
  row: Row | undefined,
  now: number,
): { tookMs: number; restMs: number; isPlausible: boolean } | undefined {
  if (row === undefined) return undefined;
  const runMs = runMsOf(row);
  if (runMs === undefined) return undefined;
  const { unseenMs } = HEAT;
  const agoMs = now - lastUsedAt(row) - runMs;
  return {
    tookMs: Math.min(LONGEST_RUN_MS, Math.max(1, runMs)) + unseenMs,
    restMs: Math.max(0, agoMs - unseenMs),
    isPlausible: Math.max(runMs, -agoMs) <= LONGEST_RUN_MS,
  };
}

/**
 * The calm of a row that is about to be written again; undefined if nothing is known. For a row
 * that is written for the first time, pass its parent: the row has rested since the parent was
 * split.
 *
 * @param parts How many such rows make up the whole limit.
 * @param taken The tokens that the call takes from the row; negative if it gives them back.
 */
export function calmOf(
  limit: Limit,
  row: Row | undefined,
  parts: number,
  taken: number,
  now: number,
): number | undefined {
  const last = lastWrite(row, now);
  if (last === undefined || !last.isPlausible) return row?.calm;
  if (Math.abs(now - lastUsedAt(row!)) <= HEAT.stillMs) return row!.calm;
  const count = Math.max(1, taken);
  const calm = row!.calm ?? presumedCalm(limit, parts * count, last.tookMs);
  const rest = Math.min(HEAT.longest, last.restMs / last.tookMs);
  return calm + (rest - calm) * HEAT.smoothing;
}

/**
 * The calm of a row about which nothing is known. The rate of a limit says how often it may be
 * called: a row that this would keep hot is split as soon as two writes follow closely.
 */
function presumedCalm(
  { whole, period }: Limit,
  wholeCount: number,
  tookMs: number,
): number {
  const { unknown, unknownIfFast } = HEAT;
  const atOnce = ((whole.rate / period) * tookMs) / wholeCount;
  return Math.min(unknown, Math.max(unknownIfFast, 1 / atOnce));
}

/** Whether a row may have to be split: not if nothing is known about it. */
export function mayBeHot(calm: number | undefined): calm is number {
  return calm !== undefined && calm < 1 / HEAT.bearable;
}

/**
 * The first rows of a key, given what would be its only one: as many as the config has `shards` if
 * each then holds twice what this call took. Otherwise each holds just that, since what a row holds
 * besides serves nobody; but there are at least two. What the call took is missing in one of them,
 * if that held it, so that it can be given back there.
 */
export function firstRowsOf(limit: Limit, row: Row, now: number): Row[] {
  const { firstRows } = limit;
  if (firstRows === 1) return [row];
  const { capacity } = limit.whole;
  const taken = capacity - row.value;
  const counts = capacity / Math.max(1, taken);
  const into =
    counts >= MIN_TOKENS_PER_ROW * firstRows
      ? firstRows
      : Math.min(MAX_SHARDS, Math.max(2, Math.floor(counts)));
  const root = { ...row, parts: 1, into };
  const value = capacity / into - taken;
  if (value < 0) return [toRow(limit, root, now)];
  const shard = childShard(0, into - 1);
  return [
    toRow(limit, { ...root, value: capacity }, now),
    toRow(limit, { ...row, shard, parts: into, value }, now),
  ];
}

/**
 * Into how many rows to split one that {@link mayBeHot}; undefined if it is calm, or holds too
 * little.
 *
 * @param taken The tokens that the call takes from the row; negative if it gives them back.
 * @param mayOwe Whether the call may take tokens that there are not.
 */
export function fanOutOf(
  limit: Limit,
  leaf: Leaf,
  calm: number,
  taken: number,
  mayOwe: boolean,
  now: number,
): number | undefined {
  const { parts, row } = leaf;
  const count = Math.max(1, taken);
  const { capacity } = partOfLimit(limit, parts);
  const isForDebts = mayOwe || (row !== undefined && row.value < 0);
  // A call that gives back does not tell how much others take, who need rows that hold all of it.
  const least =
    taken > 0
      ? count * fewestCounts(limit, row, isForDebts, now)
      : Math.max(HEAT.ampleTokens, -taken);
  const most = Math.min(
    Math.floor(capacity / least),
    Math.floor(MAX_SHARDS / parts),
  );
  // A debt needs no tokens, so nothing speaks against many rows once there are several. In one row,
  // a caller alone need not wait longer.
  const isFull = isForDebts && (parts > 1 || calm < HEAT.splitBelow);
  const wanted = isFull ? most : wantedRows(limit, leaf, calm, count, now);
  if (wanted === undefined) return undefined;
  // Where calls take long, parts that are too small to be split again are as many as there may be.
  const isLast = tookLong(row) && 2 * wanted > most;
  const into = Math.min(MAX_FAN_OUT, most, isLast ? most : wanted);
  const isDeepest = pathTo(leaf.shard).length >= MAX_LEVELS;
  return into > 1 && !isDeepest ? into : undefined;
}

/** Into how many rows a split turns a row that is hot; undefined if it is too calm for that. */
function wantedRows(
  limit: Limit,
  leaf: Leaf,
  calm: number,
  count: number,
  now: number,
): number | undefined {
  const { splitBelow, bearable, ampleTokens, fanOut, fanOutIfMild } = HEAT;
  if (calm >= HEAT.splitAgainBelow) return undefined;
  const { parts, parent } = leaf;
  const { capacity } = partOfLimit(limit, parts);
  const isMild = calm >= splitBelow;
  const ample = Math.min(
    parts === 1 ? MAX_FAN_OUT : isMild ? fanOutIfMild : fanOut,
    Math.floor(capacity / (ampleTokens * count)),
  );
  // Rows below one that was hot get many calls at once; those below one that was gathered do not.
  const isOfHot = parent !== undefined && parent.calm === undefined;
  if (isMild && (!isOfHot || ample < 2)) return undefined;
  const atOnce = writesAtOnce(limit, leaf, calm, count, now);
  return Math.max(ample, Math.ceil(atOnce / bearable));
}

/** How many times the count of a call a split of its row leaves each part, at least. */
function fewestCounts(
  { minRowTokens }: Limit,
  row: Row | undefined,
  mayOwe: boolean,
  now: number,
): number {
  const last = lastWrite(row, now);
  const tookMs = last?.isPlausible ? last.tookMs : 0;
  // A debt needs no tokens, but the more rows, the longer each takes to pay.
  if (mayOwe && tookLong(row)) return 1;
  const isLong = tookMs >= HEAT.ratherLongMs;
  return mayOwe || isLong ? MIN_TOKENS_PER_ROW : minRowTokens;
}

/** How many calls would write a row at the same time, if it could bear them all. */
function writesAtOnce(
  limit: Limit,
  { parts, row }: Leaf,
  calm: number,
  count: number,
  now: number,
): number {
  const { trust, spare } = HEAT;
  const seen = trust / calm;
  // A slow limit is hot only in bursts. It may have many rows: a search finds its last tokens.
  if (!refillsFast(limit, POLICY.slowCountsPerSecond * count)) {
    return parts === 1 ? Infinity : seen;
  }
  const last = lastWrite(row, now);
  if (limit.kind === "fixed window" || last === undefined) return seen;
  // Denied calls write no row, and more rows than this would only keep fractions of tokens.
  const arriving = (limit.whole.rate / limit.period) * last.tookMs;
  return Math.min(seen, (spare * arriving) / (parts * count));
}

/**
 * How many rows are enough for a limit, judged by when its rows were last written. Undefined if
 * that is not much fewer than it has, or if too many were written recently to gather them.
 */
export function fewerRows(
  leaves: readonly Leaf[],
  now: number,
): number | undefined {
  const { bearable, spare, restMs, mostWrites, shrinkTo } = HEAT;
  const rests: number[] = [];
  let heat = 0;
  let tookMs = 0;
  for (const { row } of leaves) {
    const last = lastWrite(row, now);
    if (last === undefined || last.restMs > restMs) continue;
    rests.push(last.restMs);
    tookMs += last.tookMs;
    const { calm = HEAT.longest } = row!;
    if (calm < 1 / (4 * bearable)) heat += 1 / Math.max(0.1, calm);
  }
  const lately = rests.filter((rest) => rest < 1000).length;
  if (lately > mostWrites) return undefined;
  const meanMs = tookMs / (rests.length || 1);
  const atOnce = (mostWithinSecond(rests) * meanMs) / 1000;
  const wanted = Math.max(
    1,
    Math.ceil((spare * Math.max(heat, atOnce)) / bearable),
  );
  const most = Math.max(1, leaves.length * shrinkTo);
  return wanted <= most && wanted < leaves.length ? wanted : undefined;
}

/** The most of these times, in ms, that lie within one second: the largest burst. */
function mostWithinSecond(times: number[]): number {
  const inOrder = times.sort((a, b) => a - b);
  let most = 0;
  let from = 0;
  for (const [to, time] of inOrder.entries()) {
    while (time - inOrder[from]! > 1000) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
