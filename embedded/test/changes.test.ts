import { CommitTsPlaceholder } from "convex/values";
import { expect, test } from "vitest";
import { type Read, touches, type Write } from "../src/changes.js";

type Bound = Read["bounds"][number];

const read = (...bounds: Bound[]): Read => ({
  component: "rateLimiter",
  table: "rows",
  bounds,
});
const bound = (
  type: Bound["type"],
  fieldPath: string,
  value: Bound["value"],
): Bound => ({ type, fieldPath, value });

/** A read of rows by a bound of 1 on the field `n`. */
const one = (type: Bound["type"]) => read(bound(type, "n", 1));

const write = (...documents: NonNullable<Write["documents"]>): Write => ({
  component: "rateLimiter",
  table: "rows",
  documents,
});

const elsewhere = { ...write({}), component: "" };
const others = { ...write({}), table: "others" };
const two = read(bound("Eq", "n", 1), bound("Eq", "key", "a"));
const above = read(bound("Gt", "n", { $undefined: null }));
const nested = read(bound("Eq", "a.b", 1));
const at = read(bound("Eq", "at", { $integer: "AAAAAAAAAAA=" }));
const unknown = { at: new CommitTsPlaceholder() };

type Case = { write: Write; read: Read; isTouched: boolean };

test.each`
  claim                                                 | write                        | read          | isTouched
  ${"touches a read of the whole table"}                | ${write({ n: 1 })}           | ${read()}     | ${true}
  ${"leaves tables of other components alone"}          | ${elsewhere}                 | ${read()}     | ${false}
  ${"leaves other tables alone"}                        | ${others}                    | ${read()}     | ${false}
  ${"touches no read if no document changed"}           | ${write()}                   | ${read()}     | ${false}
  ${"touches all reads if its documents are unknown"}   | ${{ table: "rows" }}         | ${read()}     | ${true}
  ${"touches a read of an equal value"}                 | ${write({ n: 1 })}           | ${one("Eq")}  | ${true}
  ${"does not touch a read of another value"}           | ${write({ n: 2 })}           | ${one("Eq")}  | ${false}
  ${"touches a read of the value before or after it"}   | ${write({ n: 2 }, { n: 1 })} | ${one("Eq")}  | ${true}
  ${"does not touch a read above its value"}            | ${write({ n: 1 })}           | ${one("Gt")}  | ${false}
  ${"touches a read from its value on"}                 | ${write({ n: 1 })}           | ${one("Gte")} | ${true}
  ${"does not touch a read below its value"}            | ${write({ n: 1 })}           | ${one("Lt")}  | ${false}
  ${"touches a read up to its value"}                   | ${write({ n: 1 })}           | ${one("Lte")} | ${true}
  ${"does not touch a read if one of two bounds fails"} | ${write({ n: 1, key: "b" })} | ${two}        | ${false}
  ${"without the field is not above undefined"}         | ${write({})}                 | ${above}      | ${false}
  ${"touches a read of a nested field"}                 | ${write({ a: { b: 1 } })}    | ${nested}     | ${true}
  ${"touches a read of a commit's time, yet unknown"}   | ${write(unknown)}            | ${at}         | ${true}
`("a write $claim", ({ write, read, isTouched }: Case) => {
  expect(touches(write, read)).toBe(isTouched);
});
