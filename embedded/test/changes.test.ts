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

const write = (...documents: NonNullable<Write["documents"]>): Write => ({
  component: "rateLimiter",
  table: "rows",
  documents,
});

test.each<[claim: string, write: Write, read: Read, isTouched: boolean]>([
  ["the whole table", write({ n: 1 }), read(), true],
  [
    "a table of another component",
    { ...write({}), component: "" },
    read(),
    false,
  ],
  ["another table", { ...write({}), table: "others" }, read(), false],
  ["nothing known to have changed", write(), read(), false],
  ["whatever may have changed", { table: "rows" }, read(), true],
  ["equal", write({ n: 1 }), read(bound("Eq", "n", 1)), true],
  ["not equal", write({ n: 2 }), read(bound("Eq", "n", 1)), false],
  [
    "before or after",
    write({ n: 2 }, { n: 1 }),
    read(bound("Eq", "n", 1)),
    true,
  ],
  ["gt its own value", write({ n: 1 }), read(bound("Gt", "n", 1)), false],
  ["gte its own value", write({ n: 1 }), read(bound("Gte", "n", 1)), true],
  ["lt its own value", write({ n: 1 }), read(bound("Lt", "n", 1)), false],
  ["lte its own value", write({ n: 1 }), read(bound("Lte", "n", 1)), true],
  [
    "within one bound, not the other",
    write({ n: 1, key: "b" }),
    read(bound("Eq", "n", 1), bound("Eq", "key", "a")),
    false,
  ],
  [
    "an absent field, which is less than any value",
    write({}),
    read(bound("Gt", "n", { $undefined: null })),
    false,
  ],
  [
    "a field within a field",
    write({ a: { b: 1 } }),
    read(bound("Eq", "a.b", 1)),
    true,
  ],
  [
    "a commit's timestamp, which is not known yet",
    write({ at: new CommitTsPlaceholder() }),
    read(bound("Eq", "at", { $integer: "AAAAAAAAAAA=" })),
    true,
  ],
])("%s", (_claim, write, read, isTouched) => {
  expect(touches(write, read)).toBe(isTouched);
});
