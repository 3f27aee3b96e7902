import type { PaginationOptions } from "convex/server";

export type Page<T> = { page: T[]; isDone: boolean; continueCursor: string };

/** How much of a list is read, from which cursor on, and up to which. */
export type Opts = Pick<PaginationOptions, "numItems" | "cursor" | "endCursor">;

/** One of the lists. It knows {@link END}, and a cursor means as much to it as it says itself. */
type List<T> = (opts: Opts) => Promise<Page<T>>;

/** The cursor behind whatever a list holds by then. */
export const END = "[]";

/**
 * A page of lists that come one after another. Its cursors say which of them, and where in it:
 * nothing for its beginning.
 */
export async function readInTurn<T>(
  lists: readonly List<T>[],
  { numItems, cursor, endCursor }: Opts,
): Promise<Page<T>> {
  const page: T[] = [];
  const from =
    cursor === null ? { list: 0, at: "" } : parseCursor(cursor, lists);
  const to = endCursor ? parseCursor(endCursor, lists) : undefined;
  for (let i = from.list; ; i++) {
    const start = `${i}:`;
    const isFull = to === undefined && page.length >= numItems;
    if (isFull || (to?.list === i && to.at === "")) {
      return { page, isDone: false, continueCursor: start };
    }
    const read = await lists[i]!({
      numItems: Math.max(1, numItems - page.length),
      cursor: (i === from.list && from.at) || null,
      endCursor: to && (to.list === i ? to.at : END),
    });
    page.push(...read.page);
    const isEnd = to?.list === i || i === lists.length - 1;
    if (!read.isDone || isEnd) {
      return { ...read, page, continueCursor: start + read.continueCursor };
    }
  }
}

function parseCursor(
  cursor: string,
  lists: readonly unknown[],
): { list: number; at: string } {
  const [, list, at] = /^(\d):(.*)$/s.exec(cursor) ?? [];
  if (at === undefined || lists[Number(list)] === undefined) {
    // What Convex's hooks take as a reason to start again with the first page.
    throw new Error(`InvalidCursor: ${JSON.stringify(cursor)}`);
  }
  return { list: Number(list), at };
}
