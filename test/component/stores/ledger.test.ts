import { expect, test } from "vitest";
import type { MutationCtx } from "../../../src/component/_generated/server.js";
import { isMutation } from "../../../src/component/stores/ledger.js";

test("what has a scheduler is a mutation, and a query has none", () => {
  expect(isMutation({ scheduler: {} } as MutationCtx)).toBe(true);
  expect(isMutation({} as MutationCtx)).toBe(false);
});
