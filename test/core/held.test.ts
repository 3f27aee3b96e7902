import { expect, test } from "vitest";
import { type Held, roomSince, withHold } from "../../src/core/held.js";

test("a row recalls eight holds: of nine, not the one whose room differs least from that before", () => {
  const rooms = [1, 3, 6, 10, 15, 16, 22, 29, 37];
  const held = rooms.reduce<Held[]>(
    (list, room, i) => withHold(list, i, room),
    [],
  );
  const kept = rooms.map((_, i) => roomSince(held, i, true));
  expect(kept).toEqual([1, 3, 6, 10, 15, 15, 22, 29, 37]);
});
