import { DAY, HOUR, MINUTE } from "./periods.js";
import { reject } from "./reject.js";
import type { By, DeniedKey, Figures } from "./vFigures.js";

/** How long a bucket is, and for how long it is kept, in ms. */
export const BUCKETS: Record<By, { size: number; keptFor: number }> = {
  minute: { size: MINUTE, keptFor: DAY },
  hour: { size: HOUR, keptFor: 30 * DAY },
};

/** So many keys are kept of each limit and hour. */
export const MOST_KEYS = 100;

/**
 * A key is told by so many bytes of UTF-8 at most. Then the keys of 30 days, 11 MB, are within
 * what one transaction may read.
 */
const MOST_BYTES = 128;

/** When the bucket begins that a time falls into. */
export function bucketAt(time: number, by: By): number {
  const { size } = BUCKETS[by];
  return Math.floor(time / size) * size;
}

export function plus(a: Figures, b: Figures): Figures {
  const wouldDeny = (a.wouldDeny ?? 0) + (b.wouldDeny ?? 0);
  return {
    granted: a.granted + b.granted,
    denied: a.denied + b.denied,
    tokens: a.tokens + b.tokens,
    ...(wouldDeny > 0 && { wouldDeny }),
  };
}

/** The figures of one bucket. */
export type Bucket = Figures & { from: number; to: number };

/** When the first bucket begins that is told: that of `from`, or the oldest that is kept. */
export function firstBucket(from: number, by: By, now: number): number {
  return bucketAt(Math.max(from, now - BUCKETS[by].keptFor), by);
}

/**
 * Figures by the minute or the hour: a bucket for each that a range touches, in their order,
 * also where nothing was counted. What is older than it is kept for is 0.
 */
export function bucketsOf(
  counted: readonly (Figures & { time: number })[],
  { from, to, by }: Range,
  now: number,
): Bucket[] {
  const { size } = BUCKETS[by];
  const first = firstBucket(from, by, now);
  const sums = new Map<number, Figures>();
  for (const { time, ...figures } of counted) {
    if (time >= first) addTo(sums, bucketAt(time, by), figures);
  }
  const buckets: Bucket[] = [];
  for (let start = bucketAt(from, by); start < to; start += size) {
    const { granted, denied, tokens, wouldDeny } = sums.get(start) ?? NOTHING;
    buckets.push({
      from: start,
      to: start + size,
      // What a share of the calls stands for is no whole number.
      granted: Math.round(granted),
      denied: Math.round(denied),
      tokens,
      ...(wouldDeny !== undefined && { wouldDeny: Math.round(wouldDeny) }),
    });
  }
  return buckets;
}

const NOTHING: Figures = { granted: 0, denied: 0, tokens: 0 };

export function addTo<Place>(
  sums: Map<Place, Figures>,
  place: Place,
  figures: Figures,
): void {
  sums.set(place, plus(sums.get(place) ?? NOTHING, figures));
}

/** What figures are asked for: from the bucket of `from` up to the one before `to`. */
export type Range = { from: number; to: number; by: By };

/** @throws An `Error` that names the limit, the field and the value. */
export function requireRange(name: string, { from, to, by }: Range): void {
  for (const [field, time] of Object.entries({ from, to })) {
    if (Number.isNaN(new Date(time).getTime())) {
      reject(name, field, "a time in ms from the epoch", time);
    }
  }
  if (from >= to) reject(name, "from", `before to, which is ${to}`, from);
  const { size, keptFor } = BUCKETS[by];
  if (to - from <= keptFor) return;
  const most = keptFor / size;
  throw new Error(
    `Rate limit ${name}: from and to may be at most ${most} ${by}s apart, but are ${Math.ceil((to - from) / size)}.`,
  );
}

/** A key as it is told: a long one by its beginning, so that what is stored is bounded. */
export function shownKey(key: string): string {
  const room = new Uint8Array(MOST_BYTES);
  if (new TextEncoder().encodeInto(key, room).read === key.length) return key;
  // Whole characters, and room for the three bytes of the ellipsis.
  const { read } = new TextEncoder().encodeInto(key, room.subarray(3));
  return `${key.slice(0, read)}…`;
}

/** What was denied to each key, all in all: the most first, of as many as that by the key. */
export function merged(denials: Iterable<DeniedKey>): DeniedKey[] {
  const byKey = new Map<string, number>();
  for (const { key, denied } of denials) {
    byKey.set(key, (byKey.get(key) ?? 0) + denied);
  }
  return Array.from(byKey, ([key, denied]) => ({ key, denied })).sort(
    (a, b) => b.denied - a.denied || (a.key < b.key ? -1 : 1),
  );
}

/**
 * The keys that were denied most, in bounded space: of more than `most` keys, all lose as much
 * as the first that finds no place has, and who has nothing left is dropped.
 *
 * However often this is done, no key's number is too high, nor too low by more than all
 * denials divided by `most + 1`: each denial that one key loses, `most` others lose with it
 * (Misra and Gries, Finding repeated elements, 1982; merged as by Agarwal and others,
 * Mergeable summaries, 2012).
 */
export function heaviest(
  denials: Iterable<DeniedKey>,
  most: number,
): DeniedKey[] {
  const all = merged(denials);
  const lost = all[most]?.denied ?? 0;
  return all
    .map(({ key, denied }) => ({ key, denied: denied - lost }))
    .filter(({ denied }) => denied > 0);
}
