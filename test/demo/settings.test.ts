import { expect, test } from "vitest";
import { readCount } from "../../demo/page/playground/readCount.js";
import {
  callCode,
  definitionCode,
} from "../../demo/page/playground/sampleCode.js";
import {
  configOf,
  DEFAULT_DRAFT,
  readDraft,
  type Draft,
} from "../../demo/page/playground/settings.js";

const draft = (changes: Partial<Draft>): Draft => ({
  ...DEFAULT_DRAFT,
  ...changes,
});

test.each<[string, Partial<Draft>, object]>([
  ["empty fields are left to their defaults", { maxReserved: "" }, {}],
  ["a capacity of 0 is a value", { capacity: "0" }, { capacity: 0 }],
  [
    "no reservation at all is a value",
    { maxReserved: "0" },
    { maxReserved: 0 },
  ],
  ["a start of 0 is a value", { startSeconds: "0" }, { start: 0 }],
  ["fractions are legal", { rate: "0.5" }, { rate: 0.5 }],
  ["a dry run is not enforced", { isDryRun: true }, { enforce: false }],
])("%s", (_name, changes, expected) => {
  const { settings, errors } = readDraft(
    draft({ maxReserved: "", ...changes }),
  );
  expect(errors).toEqual({});
  expect(settings).toEqual({ rate: 10, period: 20_000, ...expected });
});

test.each<[Partial<Draft>, string]>([
  [{ rate: "" }, "Needs a number"],
  [{ rate: "0" }, "Above 0"],
  [{ rate: "ten" }, "Not a number"],
  [{ rate: "Infinity" }, "Not a number"],
  [{ periodSeconds: "-1" }, "At least 0.001"],
  [{ capacity: "-1" }, "At least 0"],
  [{ maxReserved: "-1" }, "At least 0"],
  [{ shards: "1.5" }, "Whole, 1 to 50"],
  [{ shards: "0" }, "Whole, 1 to 50"],
  [{ startSeconds: "soon" }, "Not a number"],
])("%o is no config, and says why", (changes, message) => {
  const { settings, errors } = readDraft(draft(changes));
  expect(settings).toBeUndefined();
  expect(errors).toEqual({ [Object.keys(changes)[0]!]: message });
});

test("only a fixed window has a start", () => {
  const settings = { rate: 1, period: 1000, start: 0 };
  expect(configOf("token bucket", settings)).not.toHaveProperty("start");
  expect(configOf("fixed window", settings)).toHaveProperty("start", 0);
});

test.each<[string, number | undefined]>([
  ["1", 1],
  ["0.5", 0.5],
  ["0", 0],
  ["", undefined],
  ["-1", undefined],
  ["many", undefined],
])("the count %j is %j", (text, count) => {
  expect(readCount(text)).toBe(count);
});

test.each([
  [3_600_000, "period: HOUR,"],
  [120_000, "period: 2 * MINUTE,"],
  [20_000, "period: 20 * SECOND,"],
  [1500, "period: 1500,"],
])("%i ms reads as %j in the code", (period, code) => {
  const config = { kind: "token bucket" as const, rate: 1, period };
  expect(definitionCode(config)).toContain(code);
});

test("the code says what differs from the defaults, and nothing else", () => {
  const config = {
    kind: "fixed window" as const,
    rate: 5,
    period: 1000,
    capacity: 0,
  };
  const definition = definitionCode(config);
  expect(definition).toContain("capacity: 0");
  expect(definition).not.toMatch(/shards|maxReserved|enforce|start/);
  expect(callCode(1, false)).not.toMatch(/count|reserve/);
  expect(callCode(3, true)).toContain("count: 3,\n  reserve: true,");
});
