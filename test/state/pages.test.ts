import type { PaginationOptions } from "convex/server";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readInTurn, type List, type Page } from "../../src/state/pages.js";
import type { QueryCtx } from "../../src/component/_generated/server.js";

type Opts = Pick<PaginationOptions, "numItems" | "cursor" | "endCursor">;

/** A list of numbers by absolute value; those below 0 are skipped. */
function listOf(numbers: readonly number[]): List<number> {
  return {
    fields: 1,
    async *read([after], [upTo]) {
      for (const n of numbers) {
        const place = Math.abs(n);
        if (place <= Number(after ?? -1)) continue;
        if (place > Number(upTo ?? Infinity)) return;
        yield [[place], async () => (n < 0 ? null : n)];
      }
    },
  };
}

/** A transaction that may use four queries for each of `items`; a page may use a quarter of them. */
function transactionOf(items: number): QueryCtx {
  const free = { used: 0, remaining: 1 };
  let used = 0;
  const getTransactionMetrics = async () => ({
    bytesRead: free,
    documentsRead: free,
    documentsWritten: free,
    databaseQueries: { used: ++used, remaining: 4 * items - used },
  });
  return { meta: { getTransactionMetrics } } as unknown as QueryCtx;
}

const read = (
  lists: readonly (readonly number[])[],
  opts: Opts,
  items = 1000,
) => readInTurn(transactionOf(items), lists.map(listOf), async (n) => n, opts);

/** All pages, each with the cursors it lies between. */
async function pages(lists: readonly (readonly number[])[], numItems: number) {
  const all: (Page<number> & { cursor: string | null })[] = [];
  for (let cursor: string | null = null; ;) {
    const found: Page<number> = await read(lists, { numItems, cursor });
    all.push({ ...found, cursor });
    if (found.isDone) return all;
    cursor = found.continueCursor;
  }
}

const numbers = fc
  .uniqueArray(fc.integer({ min: -30, max: 30 }), {
    maxLength: 8,
    selector: Math.abs,
  })
  .map((some) => some.sort((a, b) => Math.abs(a) - Math.abs(b)));
const shown = (lists: readonly (readonly number[])[]) =>
  lists.flat().filter((n) => n >= 0);
const lists = fc.array(numbers, { minLength: 1, maxLength: 4 });
const numItems = fc.integer({ min: 1, max: 9 });

test("pages hold all lists in turn, at most numItems on each", async () => {
  await fc.assert(
    fc.asyncProperty(lists, numItems, async (some, n) => {
      const all = await pages(some, n);
      expect(all.flatMap(({ page }) => page)).toEqual(shown(some));
      for (const { page } of all) expect(page.length).toBeLessThanOrEqual(n);
    }),
  );
});

test("pages read again up to their ends hold all items that exist by then", async () => {
  const then = fc.integer({ min: 1, max: 4 }).chain((length) => {
    const some = fc.array(numbers, { minLength: length, maxLength: length });
    return fc.tuple(some, some);
  });
  await fc.assert(
    fc.asyncProperty(then, numItems, async ([before, after], n) => {
      const all = await pages(before, n);
      const again: number[] = [];
      for (const { cursor, continueCursor, isDone } of all) {
        const endCursor = continueCursor;
        const found = await read(after, { numItems: n, cursor, endCursor });
        expect(found.continueCursor).toBe(endCursor);
        expect(found.isDone).toBe(isDone);
        again.push(...found.page);
      }
      expect(again).toEqual(shown(after));
    }),
  );
});

test("the next page continues where one ended early because its transaction read enough", async () => {
  const lists = [[1, 2, 3, 4, 5]];
  const first = await read(lists, { numItems: 9, cursor: null }, 2);
  expect(first).toMatchObject({ page: [1, 2, 3], isDone: false });
  const cursor = first.continueCursor;
  const second = await read(lists, { numItems: 9, cursor });
  expect(second).toMatchObject({ page: [4, 5], isDone: true });
});

test("a page reads at least one item", async () => {
  const first = await read([[1, 2]], { numItems: 9, cursor: null }, 0);
  expect(first.page).toEqual([1]);
});
