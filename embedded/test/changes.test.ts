import { CommitTsPlaceholder } from "convex/values";
import { expect, test } from "vitest";
import { type Read, touches, type Write } from "../src/changes.js";

const read = (...bounds: Read["bounds"]): Read => ({
  component: "rateLimiter",
  table: "rows",
  bounds,
});
const bound = (
  type: Read["bounds"][number]["type"],
  fieldPath: string,
  value: Read["bounds"][number]["value"],
) => ({ type, fieldPath, value });

/** A read of rows by a bound of 1 on the field `n`. */
const one = (type: Read["bounds"][number]["type"]) => read(bound(type, "n", 1));

const write = (...documents: NonNullable<Write["documents"]>): Write => ({
  component: "rateLimiter",
  table: "rows",
  documents,
});

test.each<[claim: string, write: Write, read: Read, isTouched: boolean]>([
  ["touches a read of the whole table", write({ n: 1 }), read(), true],
  [
    "does not touch a table of another component",
    { ...write({}), component: "" },
    read(),
    false,
  ],
  [
    "does not touch another table",
    { ...write({}), table: "others" },
    read(),
    false,
  ],
  ["touches no read if no document changed", write(), read(), false],
  [
    "touches all reads if its documents are unknown",
    { table: "rows" },
    read(),
    true,
  ],
  ["touches a read of an equal value", write({ n: 1 }), one("Eq"), true],
  ["does not touch a read of another value", write({ n: 2 }), one("Eq"), false],
  [
    "touches a read of the value before or after it",
    write({ n: 2 }, { n: 1 }),
    one("Eq"),
    true,
  ],
  ["does not touch a read above its value", write({ n: 1 }), one("Gt"), false],
  ["touches a read from its value on", write({ n: 1 }), one("Gte"), true],
  ["does not touch a read below its value", write({ n: 1 }), one("Lt"), false],
  ["touches a read up to its value", write({ n: 1 }), one("Lte"), true],
  [
    "does not touch a read if it is outside one of two bounds",
    write({ n: 1, key: "b" }),
    read(bound("Eq", "n", 1), bound("Eq", "key", "a")),
    false,
  ],
  [
    "does not touch a read above undefined if the field is absent",
    write({}),
    read(bound("Gt", "n", { $undefined: null })),
    false,
  ],
  [
    "touches a read of a nested field",
    write({ a: { b: 1 } }),
    read(bound("Eq", "a.b", 1)),
    true,
  ],
  [
    "touches a read of a commit's timestamp, which is not known yet",
    write({ at: new CommitTsPlaceholder() }),
    read(bound("Eq", "at", { $integer: "AAAAAAAAAAA=" })),
    true,
  ],
])("a write %s", (_claim, write, read, isTouched) => {
  expect(touches(write, read)).toBe(isTouched);
});
