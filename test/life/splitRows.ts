import { UNITS, windowsSince, type Model } from "../model.js";
import type { Document } from "../../sim/ranges.js";

/**
 * What rows of a split limit hold together, each at its own time; absent ones are full. Those that say that they
 * were split over another number, or of another capacity, are what they were then.
 */
export function sumOf(
  rows: readonly Document[],
  model: Model,
  now: number,
): number | undefined {
  const { config } = model;
  if (config.kind === "concurrency") return undefined;
  const rule = model.rule(now);
  const [rate, capacity] = [rule.rate / UNITS, rule.capacity / UNITS];
  const usual = config.capacity ?? config.rate;
  const stored = rows as unknown as {
    of?: number;
    shard: number;
    value: number;
    ts: number;
    nextAt?: number;
    fullAt: number;
    usedAt?: number;
    capacity?: number;
  }[];
  const live = stored.filter(({ fullAt }) => now < fullAt);
  if (live.length === 0) return capacity;
  const written = live.map(({ usedAt, ts }) => usedAt ?? ts);
  const newest = live[written.indexOf(Math.max(...written))]!;
  const { of: shards = 1 } = newest;
  // A row of another split is taken at its word by who splits the limit so, even if it is full by now.
  if (stored.some(({ of = 1 }) => of !== shards)) return undefined;
  const full = Math.min(newest.capacity ?? usual, capacity) / shards;
  const isSame = (newest.capacity ?? usual) === capacity;
  // Since when rows of a calendar are full that say it no more, counts by another capacity.
  const { starts } = model;
  if (starts !== undefined && !isSame) return undefined;
  const newestTs = Math.max(...live.map(({ ts }) => ts));
  // Rows of another capacity are brought to one time.
  const at = isSame ? now : Math.max(now, newestTs);
  const inUse = live.filter(({ shard }) => shard < shards);
  const periodsBetween = (from: number, to: number) => {
    const periods = Math.max(0, to - from) / rule.period;
    return config.kind === "token bucket" ? periods : Math.floor(periods);
  };
  // The others are full. Where the capacity is another one by now, they have been since they were, or since
  // the last write; of windows, since the start of that one.
  const others = Array.from({ length: shards }, (_, shard) => shard)
    .filter((shard) => inUse.every((row) => row.shard !== shard))
    .map((shard) => {
      const row = stored.find((one) => one.shard === shard);
      const { fullAt = newest.ts } = row ?? {};
      const periods = periodsBetween(newest.ts, fullAt);
      const ts = newest.ts + periods * rule.period;
      return { value: full, ts, nextAt: undefined };
    });
  return [...inUse, ...others]
    .map(({ value, ...since }) => {
      const periods =
        starts === undefined
          ? periodsBetween(since.ts, at)
          : windowsSince(starts, since, at).n;
      const refill = periods * rate;
      return Math.min(capacity / shards, value + refill / shards);
    })
    .reduce((sum, value) => sum + value, 0);
}
