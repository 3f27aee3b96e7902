import { MAX_SHARDS } from "../../core/checks.js";
import { capacityOf, shardsOf, type StoredConfig } from "../../core/config.js";
import { type Limit, partOfLimit, ruleOf } from "../../core/limit.js";
import type { Row } from "../../core/view.js";
import { balanceOf, toRow } from "../row/row.js";
import {
  BEARABLE,
  CLOSE_WRITES,
  FEW_TOKENS,
  FEWEST_TOKENS,
  MOST_PARTS,
  RECALL_MS,
  STOCK_MS,
  UNSEEN_MS,
  WINDOW_STOCK_MS,
} from "./numbers.js";
import { type Leaf, partShard, rootLeaf } from "./tree.js";

/* When a row is split, and into how many. */

/**
 * Whether a limit is ever split. Not with `shards: 1`, and without `shards` only if it has more than
 * a few tokens and no `warnAt`.
 */
export function canSplit({ usual }: Pick<Limit, "usual">): boolean {
  if (usual.kind === "concurrency") return false;
  const shards = shardsOf(usual);
  if (shards !== undefined) return shards !== 1;
  // Only one row knows the balance that `warnAt` needs.
  return usual.warnAt === undefined && capacityOf(usual) > FEW_TOKENS;
}

/** Into how many rows the first write of a key splits it: `shards`, if that is a number. */
export function leastRows({ usual }: Limit): number {
  const shards = shardsOf(usual);
  return typeof shards === "number" ? mostRows(shards, usual) : 1;
}

/** At most this many rows, and none with fewer than two tokens. */
export function mostRows(rows: number, config: StoredConfig): number {
  const worthwhile = Math.floor(capacityOf(config) / FEWEST_TOKENS);
  return Math.max(1, Math.min(rows, worthwhile));
}

/**
 * The rows to store for a key whose only row changes: that row, or the parts that it is split into.
 *
 * @param mayOwe Whether the call may take tokens that there are not.
 */
export function spreadIfHot(
  limit: Limit,
  before: Row | undefined,
  row: Row,
  mayOwe: boolean,
  now: number,
): readonly Row[] {
  if (!canSplit(limit)) return [row];
  if (before === undefined) return firstRows(limit, row, now);
  const taken = balanceOf(limit, before, now).value - row.value;
  return [splitIfHot(limit, rootLeaf(before), row, { taken, mayOwe, now })];
}

/**
 * The first rows of a key, given what would be its only one. If it is split, what the call took is
 * missing in one part, so that it can be given back there.
 */
export function firstRows(limit: Limit, row: Row, now: number): Row[] {
  const { capacity } = limit.whole;
  const taken = capacity - row.value;
  const counts = capacity / Math.max(1, taken);
  const least = leastRows(limit);
  // Parts that hold less than two counts can't be split again: then there are as many as can be.
  const parts = counts < FEWEST_TOKENS * least ? Math.floor(counts) : least;
  if (least === 1 || parts <= 1) return [row];
  const { ts, nextAt } = row;
  const value = capacity / parts - taken;
  const full = toRow(limit, { value: capacity, ts, nextAt }, now);
  const part = toRow(limit, { value, ts, nextAt, held: row.held }, now, parts);
  part.shard = partShard(0, parts - 1);
  return [toSplitRow(limit, full, parts, now), part];
}

/** A row as it is stored once it is split; row 0 stores the rule by which those below it count. */
export function toSplitRow(
  limit: Limit,
  row: Row,
  into: number,
  now: number,
): Row & { into: number } {
  const rule = row.shard === 0 ? ruleOf(limit) : undefined;
  return { ...row, usedAt: now, into, rule };
}

/**
 * A leaf that is written, with what it recalls: how many writes in turn were close. If these are
 * enough, it is split.
 *
 * @param taken The tokens that the call takes from it; negative if it gives them back.
 */
export function splitIfHot(
  limit: Limit,
  leaf: Leaf,
  row: Row,
  { taken, mayOwe, now }: { taken: number; mayOwe: boolean; now: number },
): Row {
  const { parts, row: before } = leaf;
  const close = closeWrites(limit, leaf, taken, now);
  const overlappedAt = row.overlappedAt ?? before?.overlappedAt;
  if (close < CLOSE_WRITES) {
    return { ...row, close: close || undefined, overlappedAt };
  }
  // What gives back does not tell what others take.
  const into = taken > 0 ? partsFor(limit, parts, taken, mayOwe, before!) : 1;
  if (into === 1) return { ...row, close, overlappedAt };
  return { ...toSplitRow(limit, row, into, now), overlappedAt };
}

/** From when to when a write took, in ms. */
export type Write = { from: number; to: number };

/** When a row was last written; undefined if that is not stored. */
export function writeOf({ usedAt, ts, at }: Row): Write | undefined {
  if (at === undefined) return undefined;
  return { from: usedAt ?? ts, to: Number(at / 1_000_000n) };
}

/** How many writes in turn are close, if a row is written now. */
function closeWrites(
  limit: Limit,
  { parts, row }: Leaf,
  taken: number,
  now: number,
): number {
  if (row === undefined) return 0;
  const { close = 0 } = row;
  const write = writeOf(row);
  if (write === undefined) return 0;
  const { from, to } = write;
  // Nothing is known of a write of this very transaction, or by a clock that stands still or is ahead.
  if (now <= from) return close;
  // Nor of one that kept when the row was used before: when it gathered all rows, or began a window.
  if (now - from > RECALL_MS) return 0;
  // The two writes need as long again to become visible.
  const since = now - to - 2 * UNSEEN_MS;
  const took = to - from;
  const refilled = (partOfLimit(limit, parts).rate / limit.period) * took;
  // What refills can keep the row too busy: then the first sign has to do. Once calls queue, their
  // snapshots are older than their clocks (convex-backend, application_function_runner/mod.rs), so
  // most conflict, and writes are rare and look far apart.
  if (refilled / Math.max(1, taken) > BEARABLE) {
    return since < took / BEARABLE ? CLOSE_WRITES : 0;
  }
  return since < took ? close + 1 : 0;
}

/**
 * Into how many parts to split a row, so that each holds the count of a call, two tokens, and what
 * calls that take one may take from it for a while. A debt needs no tokens.
 */
function partsFor(
  limit: Limit,
  parts: number,
  count: number,
  mayOwe: boolean,
  before: Row,
): number {
  const { from, to } = writeOf(before)!;
  const stockMs = limit.kind === "fixed window" ? WINDOW_STOCK_MS : STOCK_MS;
  const stock = (BEARABLE * stockMs) / (to - from + UNSEEN_MS);
  const least = mayOwe ? count : Math.max(FEWEST_TOKENS, count, stock);
  const { capacity } = partOfLimit(limit, parts);
  const most = Math.floor(
    Math.min(MOST_PARTS * parts, MAX_SHARDS / parts, capacity / least),
  );
  // Preferably parts of whole tokens: a busy limit gives no fractions of one.
  for (let n = most; n > most / 2; n--) if (capacity % n === 0) return n;
  return Math.max(1, most);
}
