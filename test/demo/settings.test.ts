import { expect, test } from "vitest";
import { definitionOf } from "../../demo/page/kinds/definition.js";
import {
  DEFAULT_DRAFT,
  readDraft,
  type Draft,
  type Field,
} from "../../demo/page/kinds/settings.js";

test.each<[string, Partial<Draft>, object]>([
  ["an empty capacity is left to its default", {}, {}],
  ["a capacity of 0 is a value", { capacity: "0" }, { capacity: 0 }],
  ["fractions are legal", { rate: "0.5" }, { rate: 0.5 }],
])("%s", (_name, changes, expected) => {
  expect(readDraft({ ...DEFAULT_DRAFT, ...changes })).toEqual({
    settings: { rate: 10, period: 20_000, ...expected },
  });
});

test.each<[Partial<Draft>, Field, string]>([
  [{ rate: "" }, "rate", "The rate is not a number."],
  [{ capacity: "many" }, "capacity", "The capacity is not a number."],
  [
    { period: "-1" },
    "period",
    "period must be a finite number above 0, but is -1000.",
  ],
])("%o is refused with the field and the reason", (changes, field, message) => {
  expect(readDraft({ ...DEFAULT_DRAFT, ...changes })).toEqual({
    problem: { field, message },
  });
});

test.each([
  [3_600_000, "period: HOUR,"],
  [120_000, "period: 2 * MINUTE,"],
  [20_000, "period: 20 * SECOND,"],
  [1500, "period: 1500,"],
])("%i ms reads as %j in the code", (period, code) => {
  expect(definitionOf({ rate: 1, period })).toContain(code);
});
