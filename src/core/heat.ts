import { MAX_SHARDS } from "./checks.js";
import { MIN_TOKENS_PER_ROW, type Limit, partOfLimit } from "./limit.js";
import { isClose, writeOf, type Row, type RowWrite } from "./rows.js";
import type { Leaf } from "./tree.js";

/** When a limit splits a row, and into how many. */
export const HEAT = {
  /** A row is split once so many writes in turn, each so soon after the one before, are close. */
  closeWrites: 3,
  /** Into at most so many parts. What is still hot is split again. */
  fanOut: 8,
  /** How many writes at a time a row bears: 15% of the calls then conflict. */
  bearable: 0.15,
  /** About how long after its commit a write becomes visible to others, in ms. */
  unseenMs: 5,
} as const;

/**
 * How many writes in turn are close if the row is written now: of calls that follow so soon after
 * the write before, about every second one conflicts.
 */
export function closeWrites(row: Row | undefined, now: number): number {
  const write = row && writeOf(row);
  if (!write) return 0;
  // Of a write of this very transaction, or on a frozen clock, nothing is known.
  if (now === write.from) return row.close ?? 0;
  return isClose(write, now - 2 * HEAT.unseenMs) ? (row.close ?? 0) + 1 : 0;
}

/**
 * Into how many parts to split a hot row: each holds the count of a call, two tokens, and as many
 * as calls that take one may take from it in a second.
 *
 * @param last The last write, which tells how long calls take. Absent if that does not matter.
 */
export function partsFor(
  limit: Limit,
  { parts }: Pick<Leaf, "parts">,
  count: number,
  last?: RowWrite,
): number {
  const { fanOut, bearable, unseenMs } = HEAT;
  const { capacity } = partOfLimit(limit, parts);
  const least = last
    ? Math.max(
        MIN_TOKENS_PER_ROW,
        (bearable * 1000) / (last.to - last.from + unseenMs),
      )
    : 0;
  const most = Math.floor(
    Math.min(
      fanOut,
      MAX_SHARDS / parts,
      capacity / Math.max(count, least),
    ),
  );
  // Preferably rows of whole tokens: a busy limit gives no parts of one.
  let n = most;
  while (n > most / 2 && capacity % n > 0) n--;
  return Math.max(1, n > most / 2 ? n : most);
}

/** Into how many rows the first write of a key splits it. */
export function firstRowsFor({ firstRows, whole }: Limit, count: number) {
  const counts = whole.capacity / Math.max(MIN_TOKENS_PER_ROW, count);
  return Math.max(1, Math.min(firstRows, Math.floor(counts)));
}
