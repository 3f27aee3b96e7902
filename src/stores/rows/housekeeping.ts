import { paginator } from "convex-helpers/server/pagination";
import { stream } from "convex-helpers/server/stream";
import { limitKeyId, limitKeysOf } from "../../core/limitKey.js";
import { isShortString } from "../../core/checks.js";
import { idleBefore, isIdle } from "../../core/rows.js";
import type { LimitKey } from "../../core/validators.js";
import { internal } from "../../component/_generated/api.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import schema from "../../component/schema.js";
import {
  CLEARED_AT_ONCE,
  type Remainder,
  isBudgetUsed,
  readBounded,
} from "../budget.js";
import {
  type ListArgs,
  END_CURSOR,
  afterPrefix,
  type InUse,
  type List,
  listOf,
  PAGE_BYTES,
} from "../pages.js";
import { lookStale } from "../stale.js";
import { parseRows, queryRows } from "./stored.js";

/**
 * The rows of a limit key. If the key is too long for calls, `@convex-dev/rate-limiter` may have
 * left more rows than one transaction may read: then only the first ones.
 */
async function readableRows(
  ctx: QueryCtx,
  { name, key }: LimitKey,
): Promise<{ items: Doc<"rateLimits">[]; isMore: boolean }> {
  const rows = queryRows(ctx, name, key);
  return isShortString(key ?? "")
    ? { items: await rows.collect(), isMore: false }
    : readBounded(ctx, rows);
}

/** Deletes {@link readableRows}, and returns whether there are more. */
export async function deleteReadable(
  ctx: MutationCtx,
  limitKey: LimitKey,
): Promise<boolean> {
  const { items: rows, isMore } = await readableRows(ctx, limitKey);
  for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  return isMore;
}

/** The keys in use that have rows: by name and key, or by when they are full, the last first. */
export function rowKeys(
  ctx: QueryCtx,
  { name, order, prefix }: ListArgs,
  now: number,
): List<InUse> {
  const rows = stream(ctx.db, schema).query("rateLimits");
  const inOrder =
    order !== "depleted"
      ? rows.withIndex("name", (q) => {
          if (name === undefined) return q;
          const ofName = q.eq("name", name);
          if (prefix === undefined) return ofName;
          const from = ofName.gte("key", prefix);
          const end = afterPrefix(prefix);
          return end === undefined ? from : from.lt("key", end);
        })
      : name === undefined
        ? rows.withIndex("fullAt", (q) => q).order("desc")
        : rows.withIndex("depleted", (q) => q.eq("name", name)).order("desc");
  const read = new Map<string, Doc<"rateLimits">[]>();
  return listOf(inOrder, async ({ _id, name, key }) => {
    const id = limitKeyId({ name, key });
    const ofKey =
      read.get(id) ?? (await readableRows(ctx, { name, key })).items;
    read.set(id, ofKey);
    // List each key once: at the first of its rows.
    const first = order === "depleted" ? fullLast(ofKey) : ofKey[0];
    if (first?._id !== _id || isIdle(ofKey, now)) return null;
    return { name, key, store: "rows", rows: parseRows(ofKey) };
  });
}

/** The row that is full last; of several, the newest. */
function fullLast(
  rows: readonly Doc<"rateLimits">[],
): Doc<"rateLimits"> | undefined {
  const fullAt = (row: Doc<"rateLimits">) => row.fullAt ?? 0;
  return rows.toSorted(
    (a, b) => fullAt(b) - fullAt(a) || b._creationTime - a._creationTime,
  )[0];
}

/** Deletes the rows of keys with a row that was stored up to a time, the newest first. */
export async function clearRows(
  ctx: MutationCtx,
  { before, cursor = before }: Remainder,
): Promise<Remainder | undefined> {
  const newestFirst = ctx.db
    .query("rateLimits")
    .withIndex("by_creation_time", (q) => q.lte("_creationTime", cursor))
    .order("desc");
  const { items: rows, isMore } = await readBounded(ctx, newestFirst, {
    most: CLEARED_AT_ONCE,
  });
  for (const limitKey of limitKeysOf(rows)) {
    const isMoreOfKey = await deleteReadable(ctx, limitKey);
    if (isMoreOfKey || (await isBudgetUsed(ctx, 1 / 2))) {
      return { before, cursor };
    }
  }
  if (!isMore) return undefined;
  return { before, cursor: rows.at(-1)!._creationTime };
}

/** The most rows to look at for one transaction. */
const BATCH = 1000;

/**
 * Deletes the rows of idle keys, those of each key together. Rows without `fullAt` stay, and so do
 * the other rows of their key.
 *
 * @returns The cursor to continue from.
 */
export async function vacuumRows(
  ctx: MutationCtx,
  now: number,
  cursor: string | undefined,
): Promise<string | undefined> {
  const args = { now, cursor: cursor ?? null };
  const seen = await lookStale(ctx, internal.jobs.idleRows, args);
  for (const [i, { name, key }] of seen.limitKeys.entries()) {
    if (i > 0 && (await isBudgetUsed(ctx, 3 / 4))) return cursor;
    const rows = await queryRows(ctx, name, key).collect();
    // The key may have been used since the look.
    if (!isIdle(rows, now)) continue;
    for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  }
  return seen.isDone ? END_CURSOR : seen.continueCursor;
}

/** The idle limit keys whose row 0 is on a page of rows. */
export async function findIdleRows(
  ctx: QueryCtx,
  now: number,
  cursor: string | null,
) {
  const read = (numItems: number) =>
    paginator(ctx.db, schema)
      .query("rateLimits")
      .withIndex("fullAt", (q) =>
        q.gt("fullAt", undefined).lte("fullAt", idleBefore(now)),
      )
      .paginate({ numItems, cursor, maximumBytesRead: PAGE_BYTES });
  const { page, isDone, continueCursor } = await read(BATCH);
  const limitKeys: LimitKey[] = [];
  for (const [i, { name, key, shard, into }] of page.entries()) {
    if (shard > 0) continue;
    // A limit that is not split has no other row.
    if (into !== undefined) {
      if (i > 0 && (await isBudgetUsed(ctx))) {
        const { continueCursor } = await read(i);
        return { limitKeys, isDone: false, continueCursor };
      }
      const rows = await queryRows(ctx, name, key).collect();
      if (!isIdle(rows, now)) continue;
    }
    limitKeys.push({ name, key });
  }
  return { limitKeys, isDone, continueCursor };
}
