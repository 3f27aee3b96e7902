import { expect, test } from "vitest";
import { parseHoldId, toHoldId } from "../../src/core/holdId.js";

test.each(["api", "", "a:b", ":"])(
  "the id of a hold says its row and the limit %j",
  (name) => {
    const id = toHoldId("r", name);
    expect(parseHoldId(id)).toEqual({ docId: "r", name });
  },
);

test("what names no limit is the id of no hold", () => {
  expect(parseHoldId("row")).toEqual({ docId: "row" });
});
