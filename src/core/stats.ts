import { DAY, HOUR, MINUTE } from "./periods.js";
import { reject } from "./checks.js";
import type { Resolution, DeniedKey, Stats } from "./validators.js";

/** The length of an interval, and how long it is kept, in ms. */
export const INTERVALS: Record<Resolution, { size: number; keptFor: number }> =
  {
    minute: { size: MINUTE, keptFor: DAY },
    hour: { size: HOUR, keptFor: 30 * DAY },
  };

/** The most keys to keep for each limit and hour. */
export const MAX_DENIED_KEYS = 100;

/**
 * The most bytes of a stored key, in UTF-8. Keeps the keys of 30 days, 11 MB, within what one
 * transaction may read.
 */
const MAX_DENIED_KEY_BYTES = 128;

/** When the interval that contains a time begins. */
export function intervalStart(time: number, by: Resolution): number {
  const { size } = INTERVALS[by];
  return Math.floor(time / size) * size;
}

export function sumStats(a: Stats, b: Stats): Stats {
  const wouldDeny = (a.wouldDeny ?? 0) + (b.wouldDeny ?? 0);
  const closeCalls = (a.closeCalls ?? 0) + (b.closeCalls ?? 0);
  return {
    granted: a.granted + b.granted,
    denied: a.denied + b.denied,
    tokens: a.tokens + b.tokens,
    ...(wouldDeny > 0 && { wouldDeny }),
    ...(closeCalls > 0 && { closeCalls }),
  };
}

/** The stats of one minute or hour. */
type Interval = Stats & { from: number; to: number };

/** When the first interval of a range begins: that of `from`, or the oldest that is still kept. */
export function firstIntervalStart(
  from: number,
  by: Resolution,
  now: number,
): number {
  return intervalStart(Math.max(from, now - INTERVALS[by].keptFor), by);
}

/**
 * Stats by the minute or the hour: one interval for each that a range touches, in order, even if
 * nothing was counted in it. Intervals too old to be kept are 0.
 */
export function intervalsOf(
  counted: readonly (Stats & { time: number })[],
  { from, to, by }: TimeRange,
  now: number,
): Interval[] {
  const { size } = INTERVALS[by];
  const first = firstIntervalStart(from, by, now);
  const sums = new Map<number, Stats>();
  for (const { time, ...stats } of counted) {
    if (time < first) continue;
    const start = intervalStart(time, by);
    sums.set(start, sumStats(sums.get(start) ?? NO_STATS, stats));
  }
  const intervals: Interval[] = [];
  for (let start = intervalStart(from, by); start < to; start += size) {
    const { granted, denied, tokens, wouldDeny, closeCalls } =
      sums.get(start) ?? NO_STATS;
    intervals.push({
      from: start,
      to: start + size,
      // If only a share of the calls is counted, estimates are fractions.
      granted: Math.round(granted),
      denied: Math.round(denied),
      tokens,
      ...(wouldDeny !== undefined && { wouldDeny: Math.round(wouldDeny) }),
      ...(closeCalls !== undefined && { closeCalls: Math.round(closeCalls) }),
    });
  }
  return intervals;
}

export const NO_STATS: Stats = { granted: 0, denied: 0, tokens: 0 };

/** A range of stats: from the interval that contains `from` to the last that begins before `to`. */
export type TimeRange = { from: number; to: number; by: Resolution };

/** @throws An `Error` that names the limit, the field and the value. */
export function checkRange(name: string, { from, to, by }: TimeRange): void {
  for (const [field, time] of Object.entries({ from, to })) {
    if (Number.isNaN(new Date(time).getTime())) {
      reject(name, field, "a time in ms since the epoch", time);
    }
  }
  if (from >= to) reject(name, "from", `before to, which is ${to}`, from);
  const { size, keptFor } = INTERVALS[by];
  if (to - from <= keptFor) return;
  const most = keptFor / size;
  throw new Error(
    `Rate limit ${name}: from and to may be at most ${most} ${by}s apart, but are ${Math.ceil((to - from) / size)}.`,
  );
}

/** A key as stored with its denials: long ones are cut, to keep rows small. */
export function truncateKey(key: string): string {
  const room = new Uint8Array(MAX_DENIED_KEY_BYTES);
  if (new TextEncoder().encodeInto(key, room).read === key.length) return key;
  // Cut at a whole character, with room for the three bytes of the ellipsis.
  const { read } = new TextEncoder().encodeInto(key, room.subarray(3));
  return `${key.slice(0, read)}…`;
}

/** Sums the denials of each key, and sorts by denials, the most first, then by key. */
export function mergeDenials(denials: Iterable<DeniedKey>): DeniedKey[] {
  const byKey = new Map<string, number>();
  for (const { key, denied } of denials) {
    byKey.set(key, (byKey.get(key) ?? 0) + denied);
  }
  return Array.from(byKey, ([key, denied]) => ({ key, denied })).sort(
    (a, b) => b.denied - a.denied || (a.key < b.key ? -1 : 1),
  );
}

/**
 * Whether the keys kept for an hour may have lost denials, given all denials of that hour. For each
 * denial that a key loses, `MAX_DENIED_KEYS` others lose one, too. Denials without a key are in no
 * list, so many of them look like losses.
 */
export function mayMissDenials(
  keys: readonly DeniedKey[],
  denied: number,
): boolean {
  const kept = keys.reduce((sum, key) => sum + key.denied, 0);
  return keys.length >= MAX_DENIED_KEYS || denied - kept >= MAX_DENIED_KEYS + 1;
}

/**
 * The keys that were denied most, in bounded space. If there are more than `most` keys, subtracts
 * the denials of key number `most + 1` from each, and drops keys with none left.
 *
 * However often this is repeated, no number is too high, and none is too low by more than all
 * denials divided by `most + 1`: for each denial that a key loses, `most` others lose one. (Misra
 * and Gries, Finding repeated elements, 1982; merging from Agarwal and others, Mergeable summaries,
 * 2012.)
 */
export function heavyHitters(
  denials: Iterable<DeniedKey>,
  most: number,
): DeniedKey[] {
  const all = mergeDenials(denials);
  const lost = all[most]?.denied ?? 0;
  return all
    .map(({ key, denied }) => ({ key, denied: denied - lost }))
    .filter(({ denied }) => denied > 0);
}
