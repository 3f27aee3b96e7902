import fc from "fast-check";
import { expect, test } from "vitest";
import {
  END,
  readInTurn,
  type Opts,
  type Page,
} from "../../../src/component/lists/walk.js";

/** A list of numbers in order. Its cursors are the last number of a page. */
const listOf =
  (numbers: readonly number[]) =>
  async ({ numItems, cursor, endCursor }: Opts): Promise<Page<number>> => {
    const from = cursor === null ? -Infinity : Number(cursor);
    const left = numbers.filter((n) => n > from);
    if (endCursor) {
      const isEnd = endCursor === END;
      const page = left.filter((n) => isEnd || n <= Number(endCursor));
      return { page, isDone: isEnd, continueCursor: endCursor };
    }
    const page = left.slice(0, numItems);
    return page.length < left.length
      ? { page, isDone: false, continueCursor: String(page.at(-1)) }
      : { page, isDone: true, continueCursor: END };
  };

const read = (lists: readonly (readonly number[])[], opts: Opts) =>
  readInTurn(lists.map(listOf), opts);

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
  .uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 8 })
  .map((some) => some.sort((a, b) => a - b));
const lists = fc.array(numbers, { minLength: 1, maxLength: 4 });
const numItems = fc.integer({ min: 1, max: 9 });

test("the pages hold all lists in turn, each page as many as were asked for but the last", async () => {
  await fc.assert(
    fc.asyncProperty(lists, numItems, async (some, n) => {
      const all = await pages(some, n);
      expect(all.flatMap(({ page }) => page)).toEqual(some.flat());
      for (const { page } of all.slice(0, -1)) expect(page).toHaveLength(n);
    }),
  );
});

test("pages that are read again up to where they ended hold all that there is by then", async () => {
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
      expect(again).toEqual(after.flat());
    }),
  );
});

test.each(["", "3:", "-1:", "[]", "1", `["message","k"]`])(
  "%j is no cursor of three lists",
  async (cursor) => {
    const opts = { numItems: 1, cursor };
    await expect(read([[], [], []], opts)).rejects.toThrow(
      `InvalidCursor: ${JSON.stringify(cursor)}`,
    );
  },
);
