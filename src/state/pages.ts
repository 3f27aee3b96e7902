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
import { BATCH, type Found, isBudgetUsed, readBounded } from "./budget.js";

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

/** A list of documents, each turned into an item by `toItem`; nulls are left out. */
export function listOf<Stored extends NonNullable<unknown>, T>(
  stored: QueryStream<Stored>,
  toItem: (doc: Stored) => Promise<T | null>,
): List<T> {
  return {
    fields: stored.getIndexFields().length,
    async *read(after, upTo) {
      const first = { key: after, inclusive: after.length === 0 };
      const last = { key: upTo, inclusive: true };
      const isUp = stored.getOrder() === "asc";
      const [lower, upper] = isUp ? [first, last] : [last, first];
      const between = stored.narrow({
        lowerBound: lower.key,
        lowerBoundInclusive: lower.inclusive,
        upperBound: upper.key,
        upperBoundInclusive: upper.inclusive,
      });
      for await (const [doc, at] of between.iterWithKeys()) {
        if (doc !== null) yield [at, () => toItem(doc)];
      }
    },
  };
}

/** Finds a batch of a list. */
export async function findBatch<T>(
  ctx: QueryCtx,
  list: Pick<List<T>, "read">,
  cursor: string,
): Promise<Found<T>> {
  async function* entries() {
    for await (const [at, toItem] of list.read(toPlace(cursor), [])) {
      yield { at, item: await toItem() };
    }
  }
  const { items, isMore } = await readBounded(ctx, entries(), { most: BATCH });
  const found = items.flatMap(({ item }) => (item === null ? [] : [item]));
  return { found, next: isMore ? toCursor(items.at(-1)!.at) : undefined };
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
