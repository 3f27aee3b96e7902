import { UNITS, type NaiveLimit } from "../test/corners/naiveLimit.js";
import type { Document } from "./ranges.js";

/**
 * What rows of a split limit hold together, each at its own time; absent ones are full. Those that say that they
 * were split over another number, or of another capacity, are what they were then.
 */
export function sumOf(
  rows: readonly Document[],
  model: NaiveLimit,
  now: number,
): number | undefined {
  const { config } = model;
  if (config.kind === "concurrency") return undefined;
  const rule = model.rule(now);
  const [rate, capacity] = [rule.rate / UNITS, rule.capacity / UNITS];
  const usual = config.capacity ?? config.rate;
  const stored = rows as unknown as {
    of: number;
    shard: number;
    value: number;
    ts: number;
    fullAt: number;
    usedAt?: number;
    capacity?: number;
  }[];
  const live = stored.filter(({ fullAt }) => now < fullAt);
  if (live.length === 0) return capacity;
  const written = live.map(({ usedAt, ts }) => usedAt ?? ts);
  const newest = live[written.indexOf(Math.max(...written))]!;
  const { of: shards } = newest;
  // Who sees rows of two splits at once goes by the newest; which of them that is, is its own affair.
  if (live.some(({ of }) => of !== shards)) return undefined;
  const full = Math.min(newest.capacity ?? usual, capacity) / shards;
  const isSame = (newest.capacity ?? usual) === capacity;
  const newestTs = Math.max(...live.map(({ ts }) => ts));
  // Rows of another capacity are brought to one time.
  const at = isSame ? now : Math.max(now, newestTs);
  const inUse = live.filter(({ shard }) => shard < shards);
  // The others are full. Where the capacity is another one by now, they have been since they were, or since
  // the last write.
  const others = Array.from({ length: shards }, (_, shard) => shard)
    .filter((shard) => inUse.every((row) => row.shard !== shard))
    .map((shard) => {
      const row = stored.find((one) => one.shard === shard);
      return { value: full, ts: Math.max(newest.ts, row?.fullAt ?? newest.ts) };
    });
  return [...inUse, ...others]
    .map(({ value, ts }) => {
      const elapsed = Math.max(0, at - ts);
      const periods =
        config.kind === "token bucket"
          ? elapsed / rule.period
          : Math.floor(elapsed / rule.period);
      return Math.min(capacity / shards, value + (periods * rate) / shards);
    })
    .reduce((sum, value) => sum + value, 0);
}
