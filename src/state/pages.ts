import {
  convexToJson,
  jsonToConvex,
  type JSONValue,
  type Value,
} from "convex/values";
import type { IndexKey, QueryStream } from "convex-helpers/server/stream";
import type { PaginationOptions } from "convex/server";
import { invalidCursorError } from "../core/errors.js";
import type { QueryCtx } from "../component/_generated/server.js";
import { BATCH, type Found, isBudgetUsed, WORK } from "./budget.js";
import { ALL, before, overlap, past, type Span, walk } from "./walk.js";

export type Page<T> = { page: T[]; isDone: boolean; continueCursor: string };

/** How many items to read, after which cursor, and up to which. */
type PageOptions = Pick<PaginationOptions, "numItems" | "cursor" | "endCursor">;

/** The cursor at the end of a list. */
export const END_CURSOR = "[]";

/** A list that is read a page at a time. Each item is made only when it is needed. */
export type List<T> = {
  /** How many values a place has. */
  fields: number;
  /**
   * Reads what comes after a place, up to another and with it; an empty place is no bound. Each
   * item comes with its place, after which a cursor continues.
   */
  read(
    after: IndexKey,
    upTo: IndexKey,
  ): AsyncIterable<readonly [IndexKey, () => Promise<T | null>]>;
};

/**
 * A list of documents, each turned into an item by `toItem`; nulls are left out.
 *
 * @param fields How many values a place has. Of documents with the same place, only the first comes.
 * @param spans What the list goes through, in order.
 */
export function listOf<Stored extends NonNullable<unknown>, T>(
  stored: QueryStream<Stored>,
  toItem: (doc: Stored) => Promise<T | null>,
  {
    fields = stored.getIndexFields().length,
    spans = [ALL],
  }: { fields?: number; spans?: readonly Span[] } = {},
): List<T> {
  return {
    fields,
    async *read(after, upTo) {
      const from = after.length === 0 ? before() : past(...after);
      const asked = { from, to: past(...upTo) };
      for (const span of spans) {
        const both = overlap(span, asked, stored.getOrder());
        for await (const [doc, at] of walk(stored, both, fields)) {
          yield [at, () => toItem(doc)];
        }
      }
    },
  };
}

/** Finds a batch of a list to work on. */
export async function findBatch<T>(
  ctx: QueryCtx,
  list: Pick<List<T>, "read">,
  cursor: string,
): Promise<Found<T>> {
  const found: T[] = [];
  let last: IndexKey | undefined;
  let read = 0;
  for await (const [at, toItem] of list.read(toPlace(cursor), [])) {
    const isEnough =
      found.length >= WORK || read >= BATCH || (await isBudgetUsed(ctx));
    if (last !== undefined && isEnough) return { found, next: toCursor(last) };
    const item = await toItem();
    if (item !== null) found.push(item);
    last = at;
    read += 1;
  }
  return { found };
}

/**
 * Reads a page of several lists, one after another. Its cursor holds the list in which the page
 * ends, and where. The page ends early if more would be too much for one transaction.
 *
 * Does not use `mergedStream` of convex-helpers, which refuses lists of different tables with
 * different indexes.
 */
export async function readInTurn<Found, T>(
  ctx: QueryCtx,
  lists: readonly List<Found>[],
  show: (found: Found) => Promise<T | null>,
  { numItems, cursor, endCursor }: PageOptions,
): Promise<Page<T>> {
  const end = endCursor ? parseCursor(endCursor, lists) : undefined;
  const lastTurn = lists.length - 1;
  const page: T[] = [];
  let { turn, at } = parseCursor(cursor ?? "0:", lists);
  let isFirst = true;
  const endAt = (isDone: boolean) => {
    return { page, isDone, continueCursor: `${turn}:${at}` };
  };
  for (; ; turn++, at = "") {
    const isLast = turn === (end?.turn ?? lastTurn);
    const upTo = isLast && end ? end.at : END_CURSOR;
    if (at !== upTo) {
      const entries = lists[turn]!.read(toPlace(at), toPlace(upTo));
      for await (const [place, toItem] of entries) {
        if (!isFirst && (await isBudgetUsed(ctx))) return endAt(false);
        isFirst = false;
        const found = await toItem();
        const shown = found && (await show(found));
        if (shown !== null) page.push(shown);
        at = toCursor(place);
        if (end === undefined && page.length >= numItems) return endAt(false);
      }
      at = upTo;
    }
    if (isLast) return endAt(turn === lastTurn && at === END_CURSOR);
  }
}

/** @throws `InvalidCursor` if this is not a cursor of `readInTurn`. */
function parseCursor(
  cursor: string,
  lists: readonly List<unknown>[],
): { turn: number; at: string } {
  const [, digits, at] = /^(\d+):(.*)$/s.exec(cursor) ?? [];
  const turn = Number(digits);
  const list = lists[turn];
  if (at === undefined || list === undefined) throw invalidCursorError(cursor);
  const { length } = toPlace(at);
  if (length !== 0 && length !== list.fields) throw invalidCursorError(cursor);
  return { turn, at };
}

/** An index key has `undefined` where a cursor has null. */
export function toCursor(place: IndexKey): string {
  return JSON.stringify(place.map((value) => convexToJson(value ?? null)));
}

/**
 * The place of a cursor; empty at the start, and for `END_CURSOR`.
 *
 * @throws `InvalidCursor` if it is not a list of values, as the cursors of an index are.
 */
function toPlace(cursor: string): IndexKey {
  if (cursor === "") return [];
  try {
    const place = jsonToConvex(JSON.parse(cursor) as JSONValue);
    if (Array.isArray(place)) {
      return place.map((value: Value) => value ?? undefined);
    }
  } catch {
    // Not JSON, or not a Convex value.
  }
  throw invalidCursorError(cursor);
}

/** @throws An `Error` if `numItems` is not a whole number of at least 1. */
export function requireNumItems({ numItems }: PageOptions): void {
  if (Number.isInteger(numItems) && numItems >= 1) return;
  throw new Error(
    `paginationOpts.numItems must be a whole number of at least 1, but is ${numItems}.`,
  );
}
