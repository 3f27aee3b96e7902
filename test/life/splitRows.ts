import { UNITS, windowsSince, type Model, type Since } from "../model.js";
import type { Document } from "../../sim/ranges.js";

type Stored = Since & {
  of?: number;
  shard: number;
  value: number;
  fullAt: number;
  usedAt?: number;
  capacity?: number;
  into?: number;
};

/** A row that holds tokens, stored or not, and how many such rows would be the limit. */
type Leaf = { row: Stored | undefined; parts: number };

/** The rows below one that has split itself, whose numbers are 64 times as high and up to 64 more. */
function leavesBelow(
  rows: readonly Stored[],
  row: Stored,
  parts: number,
): Leaf[] {
  const { into, shard, value } = row;
  if (into === undefined) return [{ row, parts }];
  return Array.from({ length: into }, (_, nth) => {
    const number = 64 * shard + nth + 1;
    const below = rows.find((one) => one.shard === number);
    const { into: __, ...part } = row;
    const absent = { ...part, shard: number, value: value / into };
    return leavesBelow(rows, below ?? absent, parts * into);
  }).flat();
}

/**
 * What rows of a split limit hold together, each at its own time; absent ones are full. Those that say that they
 * were split over another number, or of another capacity, are what they were then.
 *
 * @param split How the app that was called splits the limit.
 */
export function sumOf(
  rows: readonly Document[],
  model: Model,
  now: number,
  split: number | "auto",
): number | undefined {
  const { config } = model;
  if (config.kind === "concurrency") return undefined;
  const rule = model.rule(now);
  const [rate, capacity] = [rule.rate / UNITS, rule.capacity / UNITS];
  const usual = config.capacity ?? config.rate;
  // No finer than two tokens a row.
  const inUse =
    split === "auto" ? 1 : Math.max(1, Math.min(split, Math.floor(usual / 2)));
  const stored = rows as unknown as Stored[];
  const live = stored.filter(({ fullAt }) => now < fullAt);
  if (live.length === 0) return capacity;
  const written = live.map(({ usedAt, ts }) => usedAt ?? ts);
  const newest = live[written.indexOf(Math.max(...written))]!;
  const { of: shards = 1 } = newest;
  // A row of another split is taken at its word by who splits the limit so, even if it is full by now.
  if (stored.some(({ of = 1 }) => of !== shards)) return undefined;
  const root = stored.find(({ shard }) => shard === 0);
  const isTree = shards === 1 && root?.into !== undefined;
  // Rows of a split say their capacity; who does not split the limit does not ask.
  const isUnasked = inUse === 1 && shards === 1 && !isTree;
  const fullThen = isUnasked ? capacity : (newest.capacity ?? usual);
  const isSame = fullThen === capacity;
  const isRaised = fullThen < capacity;
  const { starts } = model;
  const newestTs = Math.max(...live.map(({ ts }) => ts));
  // Rows of another capacity are brought to one time.
  const at = isSame ? now : Math.max(now, newestTs);
  const isWindow = config.kind === "fixed window";
  const isOfBucket = ({ usedAt }: Stored) => usedAt === undefined;
  const refill = (
    row: Since,
    to: number,
    isTrickle: boolean,
    parts: number,
  ) => {
    const periods = Math.max(0, to - row.ts) / rule.period;
    const n = isTrickle
      ? periods
      : starts === undefined
        ? Math.floor(periods)
        : windowsSince(starts, row, to).n;
    return (n * rate) / parts;
  };
  // Calls of the apps before and after a change of kind overlapped: rows gain in windows of their own.
  const grids = stored
    .filter((row) => row === newest || !isOfBucket(row))
    .map(({ ts }) => ts % rule.period);
  if (isWindow && stored.some(isOfBucket) && new Set(grids).size > 1) {
    return undefined;
  }
  // When the next tokens of one row come tells nothing if it is of other windows than the newest one.
  const isInPlace = (row: Stored) => {
    if (!isWindow) return true;
    if (isOfBucket(row)) return false;
    if (starts === undefined) return row.nextAt === undefined;
    const first = starts.findIndex((start) => start >= row.ts);
    return (
      row.nextAt !== undefined &&
      (at < row.nextAt || row.nextAt === starts[first + 1])
    );
  };
  // What one of another calendar gained until the newest was written is not known to the last window.
  const isUnknown = (row: Stored) => row !== newest && !isInPlace(row);
  if (starts !== undefined && live.some(isUnknown)) return undefined;
  // Who splits the limit otherwise brings its rows to the windows of the newest.
  const isOtherwise = inUse !== shards || (isTree && split !== "auto");
  const isMoved = isWindow && isOtherwise;
  // What a row held when the limit was last written; it is full if it was so then.
  const brought = ({ row, parts }: Leaf): Since & { value: number } => {
    const { ts, nextAt, usedAt = ts } = newest;
    const full = fullThen / parts;
    if (row === undefined || row.fullAt <= usedAt) {
      return { value: full, ts, nextAt };
    }
    if (row.ts > ts) return row;
    const gained = refill(row, ts, !isWindow || isOfBucket(row), parts);
    return { value: Math.min(full, row.value + gained), ts, nextAt };
  };
  const leaves: Leaf[] =
    isTree && root !== undefined
      ? leavesBelow(stored, root, 1)
      : Array.from({ length: shards }, (_, shard) => ({
          row: stored.find((one) => one.shard === shard),
          parts: shards,
        }));
  return leaves
    .map(({ row, parts }) => {
      const isLive = row !== undefined && now < row.fullAt;
      if (isSame && !isLive) return fullThen / parts;
      const since =
        isSame && !isMoved && isInPlace(row!)
          ? row!
          : brought({ row: isLive || isRaised ? row : undefined, parts });
      const { value } = since;
      const gained = refill(since, at, !isWindow, parts);
      return Math.min(capacity / parts, value + gained);
    })
    .reduce((sum, value) => sum + value, 0);
}
