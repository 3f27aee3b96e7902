import { expect, test } from "vitest";
import {
  giveBack,
  type Held,
  heldByAll,
  roomSince,
  stampAfter,
  withHold,
  withRoom,
} from "../../src/core/held.js";

/** Entries of a row, as pairs of a stamp and the least room since. */
const list = (...pairs: [since: number, room: number][]): Held[] =>
  pairs.map(([since, room]) => ({ since, room }));

test("a row recalls eight holds: of nine, not the one whose room differs least from that before", () => {
  const rooms = [1, 3, 6, 10, 15, 16, 22, 29, 37];
  const held = rooms.reduce<Held[]>(
    (list, room, i) => withHold(list, i, room),
    [],
  );
  const kept = rooms.map((_, i) => roomSince(held, i, true));
  expect(kept).toEqual([1, 3, 6, 10, 15, 15, 22, 29, 37]);
});

test("a hold is stamped after those before it, and unlike those of other rows in its ms", () => {
  expect(stampAfter(undefined, 5, 0)).toBe(5);
  expect(stampAfter([], 5, 0)).toBe(5);
  const before = list([1, 1], [5, 2], [5.5, 3]);
  expect(stampAfter(before, 5, 0)).toBe(5.5 + 2 ** -10);
  expect(stampAfter(before, 6, 0)).toBe(6);
  const stamps = [1, 2, 3, 4, 1025, 2049].map((row) =>
    stampAfter(undefined, 5, row),
  );
  expect(new Set(stamps.map(Math.floor))).toEqual(new Set([5]));
  expect(new Set(stamps).size).toBe(stamps.length);
});

test("another row tells of a hold in the same ms only by the ms before", () => {
  const held = list([4.9, 1], [5, 2]);
  expect(roomSince(held, 5.3, true)).toBe(2);
  expect(roomSince(held, 5.3, false)).toBe(1);
  expect(roomSince(held, 5, false)).toBe(2);
  expect(roomSince(held, 4, true)).toBe(0);
  const both = [list([5, 2]), list([5.3, 3])];
  expect(heldByAll(both)).toEqual(list([5, 2], [5.3, 3]));
});

test("what several rows know comes in the order of the holds", () => {
  expect(heldByAll([list([3, 4]), list([1, 5])])).toEqual(list([1, 5], [3, 9]));
  expect(heldByAll([undefined, []])).toBeUndefined();
});

test("what comes back of a hold leaves less room to those before and after it", () => {
  const held = list([1, 4], [2, 6], [3, 9]);
  expect(giveBack(held, 2, 3, true)).toEqual({
    given: 3,
    held: list([1, 3], [3, 6]),
  });
  expect(giveBack(undefined, 2, 3, true)).toEqual({ given: 0, held: [] });
});

test("what tells nothing is dropped, but for the last one", () => {
  expect(withRoom(list([1, 5], [2, 7]), 0)).toEqual(list([2, 0]));
  expect(withRoom(list([1, 5], [2, 6], [3, 7]), 5)).toEqual(
    list([1, 5], [3, 5]),
  );
});
