import { expect, test, vi } from "vitest";
import { internal } from "../../src/component/_generated/api.js";
import type { MutationCtx } from "../../src/component/_generated/server.js";
import { isMutation } from "../../src/state/state.js";
import {
  isOlderSnapshot,
  lookStale,
  lookStaleIfPossible,
} from "../../src/state/stale.js";

/** The context of a mutation whose queries are answered by a function. */
const calling = (runQuery: (...args: unknown[]) => Promise<unknown>) =>
  ({ runQuery }) as unknown as MutationCtx;

const look = internal.looks.storedRows;
const args = { name: "api" };

test("a look is a query on a stale snapshot", async () => {
  const runQuery = vi.fn(async () => "seen");
  expect(await lookStale(calling(runQuery), look, args)).toBe("seen");
  expect(runQuery).toHaveBeenCalledExactlyOnceWith(look, args, {
    useStaleSnapshot: true,
  });
});

test("a look on too old a backend is an error that names the version needed", async () => {
  const cause = new Error("unknown field udfType");
  const seen = lookStale(
    calling(() => Promise.reject(cause)),
    look,
    args,
  );
  await expect(seen).rejects.toThrow(
    new Error(
      "convex-rate-limiter needs a Convex backend from 2026-07-24 on.",
      {
        cause,
      },
    ),
  );
});

test("where calls are nested too deep for a look, there is none; any other error is rethrown", async () => {
  const ctx = calling(() =>
    Promise.reject(
      new Error(
        "Cross component call depth limit exceeded. Do you have an infinite loop in your app?",
      ),
    ),
  );
  expect(await lookStaleIfPossible(ctx, look, args)).toBe(null);
  const other = new Error("too many reads");
  const failing = calling(() => Promise.reject(other));
  await expect(lookStaleIfPossible(failing, look, args)).rejects.toBe(other);
  await expect(lookStale(failing, look, args)).rejects.toBe(other);
});

/** The context of a look whose backend may tell its snapshot. */
const lookOf = (getSnapshotTs?: () => bigint) =>
  ({ meta: { getSnapshotTs } }) as unknown as MutationCtx;

const unknown = (): bigint => {
  throw new Error("Unknown operation 1.0/getSnapshotTs");
};

test.each([
  ["at the mutation's snapshot is not", lookOf(() => 7n), 7n, false],
  ["at an older snapshot is", lookOf(() => 6n), 7n, true],
  ["on an older backend is not", lookOf(unknown), undefined, false],
  ["with a convex before 1.47 is not", lookOf(), undefined, false],
])("a look %s aged", (_, ctx, mutations, aged) => {
  expect(isOlderSnapshot(ctx, mutations)).toBe(aged);
});

test("isMutation is true of a context with a scheduler only", () => {
  expect(isMutation({ scheduler: {} } as MutationCtx)).toBe(true);
  expect(isMutation({} as MutationCtx)).toBe(false);
});
