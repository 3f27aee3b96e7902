import { expect, test } from "vitest";
import { parseHoldId, toHoldId } from "../../src/core/holdId.js";

test.each(["api", "", "a:b", ":"])(
  "the id of a hold names its row and the limit %j",
  (name) => {
    const id = toHoldId("r", name);
    expect(parseHoldId(id)).toEqual({ docId: "r", name });
  },
);

test("an id that names no limit is parsed as a row alone", () => {
  expect(parseHoldId("row")).toEqual({ docId: "row" });
});
