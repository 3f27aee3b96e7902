import { sum } from "./sum.js";

/*
 * What comes back of a hold: only what the refill has not replaced. The balance is then what it would
 * be if the hold had taken no more than it used.
 *
 * The two balances differ by what is unused, until the higher one is full. Then they differ by what
 * the lower one lacks to the capacity, which is its room. So of x unused tokens, min(x, the least room
 * since the hold) come back. What others took meanwhile stays as they were told, and so does what
 * they were forgiven.
 *
 * A window from the first use keeps its time. So where the capacity is above the rate, a hold that
 * kept the key from being full has begun the next window, whatever comes back.
 */

/** The least room that a row has had since a hold. */
export type Held = { since: number; room: number };

type List = readonly Held[] | undefined;

/**
 * The most that a row keeps. It does not know which holds are open, and forgets what matters least:
 * a window with 25 open holds that splits gives back 96% in the end; with four kept, 80%.
 */
const MOST_KEPT = 8;

/**
 * When a hold is taken, as a row notes it: later than the hold before, even in the same ms, and
 * unlike what another row notes in that ms.
 */
export function stampAfter(held: List, now: number, shard: number): number {
  const ofRow = (Math.imul(shard, 0x9e3779b1) >>> 20) / 2 ** 12;
  return Math.max(now + ofRow, (held?.at(-1)?.since ?? 0) + 2 ** -10);
}

/** With a hold that leaves this much room. */
export function withHold(held: List = [], since: number, room: number): Held[] {
  return kept([...held, { since, room }]);
}

/** Once there is only this much room. Between two writes, room only shrinks. */
export function withRoom(held: List, room: number): Held[] | undefined {
  return held && kept(held.map((one) => capped(one, room)));
}

/**
 * The least room since a hold; 0 if it is not known.
 *
 * @param isOwn Whether the row is known to be the one that held it. Another one cannot tell which of
 * two holds of the same ms came first; and it takes a later one for earlier if that comes from a
 * server whose clock is behind.
 */
export function roomSince(
  held: List = [],
  since: number,
  isOwn: boolean,
): number {
  return held[placeOf(held, since, isOwn)]?.room ?? 0;
}

/** Where a row notes the room since a hold: with that hold, or with the last one before it. */
function placeOf(held: readonly Held[], since: number, isOwn: boolean): number {
  const until = isOwn ? since : Math.floor(since);
  return held.findLastIndex((one) => one.since === since || one.since < until);
}

/** Gives back what a hold did not use, as far as there was room for it ever since. */
export function giveBack(
  held: readonly Held[] = [],
  since: number,
  unused: number,
  isOwn: boolean,
): { given: number; held: Held[] } {
  const place = placeOf(held, since, isOwn);
  const room = held[place]?.room ?? 0;
  const given = Math.min(unused, room);
  // All that has happened since this hold leaves less room by what it gives back.
  const after = held.map((one, i) =>
    capped(one, i < place ? room - given : one.room - given),
  );
  return { given, held: kept(after) };
}

/** What one of the equal parts of a row inherits. */
export function heldByPart(held: List, parts: number): Held[] | undefined {
  return held?.map(({ since, room }) => ({ since, room: room / parts }));
}

/** What several rows know together. */
export function heldByAll(lists: readonly List[]): Held[] | undefined {
  const stamps = lists.flatMap((held = []) => held.map(({ since }) => since));
  if (stamps.length === 0) return undefined;
  const inOrder = [...new Set(stamps)].sort((a, b) => a - b);
  return kept(
    inOrder.map((since) => ({
      since,
      room: sum(lists.map((held) => roomSince(held, since, false))),
    })),
  );
}

function capped({ since, room }: Held, most: number): Held {
  return { since, room: Math.max(0, Math.min(room, most)) };
}

/**
 * Drops what tells nothing, and what is too much: that differs least from the one before, by which its
 * hold then goes. The last one stays, for {@link stampAfter}.
 */
function kept(held: Held[]): Held[] {
  const list = [...held];
  while (list.length > 1 && list[0]!.room === 0) list.shift();
  for (;;) {
    const gaps = list.slice(1, -1).map(({ room }, i) => room - list[i]!.room);
    const least = Math.min(...gaps);
    if (least > 0 && list.length <= MOST_KEPT) return list;
    list.splice(1 + gaps.indexOf(least), 1);
  }
}
