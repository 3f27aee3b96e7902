import { describe, expect, test } from "vitest";
import { readKeysInOrder } from "../../../src/component/lists/walk.js";
import type { QueryCtx } from "../../../src/component/_generated/server.js";
import type { Place } from "../../../src/core/vPlace.js";

const at = (name: string, key?: string): Place => ({ name, key });

/** By name and key; no key comes first. */
const KEYS = [at("a"), at("a", ""), at("a", "x"), at("b", "a"), at("c", "x")];

type Opts = { numItems: number; cursor?: string; endCursor?: string };

/** A transaction that may look at so many keys. */
const transactionOf = (keys: number) => {
  const free = { used: 0, remaining: 1 };
  let used = 0;
  const getTransactionMetrics = async () => ({
    bytesRead: free,
    documentsRead: free,
    documentsWritten: free,
    // A page may take a quarter.
    databaseQueries: { used: ++used, remaining: 4 * keys - used },
  });
  return { meta: { getTransactionMetrics } } as unknown as QueryCtx;
};

/** A page of these keys, which stand in their order. */
function read(
  keys: readonly Place[],
  { cursor, ...opts }: Opts,
  hidden = "",
  most = 10,
) {
  const inOrder = ({ name, key }: Place) =>
    name + (key === undefined ? "" : `/${key}`);
  return readKeysInOrder(
    transactionOf(most),
    async (after) =>
      keys.find((key) => !after || inOrder(key) > inOrder(after)),
    async (place) => (place.name === hidden ? undefined : place),
    { ...opts, cursor: cursor ?? null },
  );
}

/** All pages, from the first on. */
async function readAll(numItems: number, hidden?: string) {
  const pages = [await read(KEYS, { numItems }, hidden)];
  while (!pages.at(-1)!.isDone) {
    const cursor = pages.at(-1)!.continueCursor;
    pages.push(await read(KEYS, { numItems, cursor }, hidden));
  }
  return pages;
}

test.each([
  [1, [1, 1, 1, 1, 1, 0]],
  [2, [2, 2, 1]],
  [5, [5, 0]],
  [6, [5]],
])(
  "pages of %i hold each key once, in their order",
  async (numItems, sizes) => {
    const pages = await readAll(numItems);
    expect(pages.flatMap(({ page }) => page)).toEqual(KEYS);
    expect(pages.map(({ page }) => page.length)).toEqual(sizes);
  },
);

test("a page is filled with the keys that are shown", async () => {
  const pages = await readAll(2, "a");
  expect(pages.map(({ page }) => page)).toEqual([[KEYS[3], KEYS[4]], []]);
});

test.each([undefined, "[]"])(
  "a page ends where a transaction has read enough, shown or not, up to whatever end: %s",
  async (endCursor) => {
    const first = await read(KEYS, { numItems: 9, endCursor }, "a", 2);
    expect(first).toMatchObject({ page: [], isDone: false });
    const cursor = first.continueCursor;
    const rest = await read(KEYS, { numItems: 9, cursor });
    expect(rest.page).toEqual(KEYS.slice(3));
  },
);

test("behind the end there is nothing", async () => {
  const end = { page: [], isDone: true, continueCursor: "[]" };
  expect(await read(KEYS, { numItems: 9, cursor: "[]" })).toEqual(end);
});

test("a page holds one key at least", async () => {
  const first = await read(KEYS, { numItems: 9 }, "", 0);
  expect(first.page).toEqual(KEYS.slice(0, 1));
});

test.each(["x", "{}", "[1]", '["a", 2]', "null"])(
  "what is no cursor is refused: %s",
  async (cursor) => {
    const error = `InvalidCursor: ${JSON.stringify(cursor)}`;
    await expect(read(KEYS, { numItems: 1, cursor })).rejects.toThrow(error);
    await expect(
      read(KEYS, { numItems: 1, endCursor: cursor }),
    ).rejects.toThrow(error);
  },
);

describe("a page that is read again up to where it ended", () => {
  test("holds what has come since, and ends where it did", async () => {
    const { continueCursor } = await read(KEYS, { numItems: 3 });
    const again = { numItems: 3, endCursor: continueCursor };
    const more = [...KEYS.slice(0, 2), at("a", "b"), ...KEYS.slice(2)];
    expect(await read(more, again)).toEqual({
      page: more.slice(0, 4),
      isDone: false,
      continueCursor,
    });
  });

  test("ends where it did if its last key is gone", async () => {
    const { continueCursor } = await read(KEYS, { numItems: 3 });
    const less = KEYS.filter((key) => key !== KEYS[2]);
    expect(
      await read(less, { numItems: 3, endCursor: continueCursor }),
    ).toEqual({ page: KEYS.slice(0, 2), isDone: false, continueCursor });
  });

  test("ends where it did if no key is left behind it", async () => {
    const { continueCursor } = await read(KEYS, { numItems: 3 });
    const less = KEYS.slice(0, 3);
    expect(
      await read(less, { numItems: 3, endCursor: continueCursor }),
    ).toEqual({ page: less, isDone: false, continueCursor });
  });

  test("is the last one if it was", async () => {
    const [, , last] = await readAll(2);
    const { continueCursor: cursor } = await read(KEYS, { numItems: 4 });
    expect(
      await read([...KEYS, at("d")], {
        numItems: 2,
        cursor,
        endCursor: last!.continueCursor,
      }),
    ).toEqual({
      page: [KEYS[4], at("d")],
      isDone: true,
      continueCursor: last!.continueCursor,
    });
  });
});
