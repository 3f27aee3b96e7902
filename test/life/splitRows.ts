import { UNITS, windowsSince, type Model, type Since } from "../model.js";
import type { Document } from "../../sim/ranges.js";

type Stored = Since & {
  of?: number;
  shard: number;
  value: number;
  fullAt: number;
  usedAt?: number;
  capacity?: number;
};

/**
 * What rows of a split limit hold together, each at its own time; absent ones are full. Those that say that they
 * were split over another number, or of another capacity, are what they were then.
 *
 * @param isOneRow Whether the app that was called does not split the limit.
 */
export function sumOf(
  rows: readonly Document[],
  model: Model,
  now: number,
  isOneRow: boolean,
): number | undefined {
  const { config } = model;
  if (config.kind === "concurrency") return undefined;
  const rule = model.rule(now);
  const [rate, capacity] = [rule.rate / UNITS, rule.capacity / UNITS];
  const usual = config.capacity ?? config.rate;
  const stored = rows as unknown as Stored[];
  const live = stored.filter(({ fullAt }) => now < fullAt);
  if (live.length === 0) return capacity;
  const written = live.map(({ usedAt, ts }) => usedAt ?? ts);
  const newest = live[written.indexOf(Math.max(...written))]!;
  const { of: shards = 1 } = newest;
  // A row of another split is taken at its word by who splits the limit so, even if it is full by now.
  if (stored.some(({ of = 1 }) => of !== shards)) return undefined;
  // Only rows of a split say their capacity; who does not split the limit does not ask.
  const before = isOneRow && shards === 1 ? capacity : usual;
  const full = (newest.capacity ?? before) / shards;
  const isSame = full * shards === capacity;
  const isRaised = full * shards < capacity;
  const { starts } = model;
  const newestTs = Math.max(...live.map(({ ts }) => ts));
  // Rows of another capacity are brought to one time.
  const at = isSame ? now : Math.max(now, newestTs);
  const isWindow = config.kind === "fixed window";
  const isOfBucket = ({ usedAt }: Stored) => usedAt === undefined;
  const refill = (row: Since, to: number, isTrickle: boolean) => {
    const periods = Math.max(0, to - row.ts) / rule.period;
    const n = isTrickle
      ? periods
      : starts === undefined
        ? Math.floor(periods)
        : windowsSince(starts, row, to).n;
    return (n * rate) / shards;
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
  // What a row held when the limit was last written; it is full if it was so then.
  const brought = (row: Stored | undefined): Since & { value: number } => {
    const { ts, nextAt, usedAt = ts } = newest;
    if (row === undefined || row.fullAt <= usedAt) {
      return { value: full, ts, nextAt };
    }
    if (row.ts > ts) return row;
    const gained = refill(row, ts, !isWindow || isOfBucket(row));
    return { value: Math.min(full, row.value + gained), ts, nextAt };
  };
  return Array.from({ length: shards }, (_, shard) => {
    const row = stored.find((one) => one.shard === shard);
    const isLive = row !== undefined && now < row.fullAt;
    if (isSame && !isLive) return full;
    const since =
      isSame && isInPlace(row!)
        ? row!
        : brought(isLive || isRaised ? row : undefined);
    const { value } = since;
    return Math.min(capacity / shards, value + refill(since, at, !isWindow));
  }).reduce((sum, value) => sum + value, 0);
}
