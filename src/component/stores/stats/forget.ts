import { paginator } from "convex-helpers/server/pagination";
import { shownKey } from "../../../core/stats.js";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { END, PAGE_BYTES } from "../pages.js";
import { lookStale, snapshotOf } from "../stale.js";

/** The most rows to read at a time, far below Convex's limits. */
const BATCH = 1000;

const pageFrom = (cursor: string | undefined) => ({
  numItems: BATCH,
  cursor: cursor ?? null,
  maximumBytesRead: PAGE_BYTES,
});

type Asked = { key: string; cursor?: string | undefined };

/** A part of a table: which of its rows name a key, and the cursor to continue from. */
export type FoundIn<Table extends "events" | "deniedKeys"> = {
  ids: Id<Table>[];
  cursor: string;
};

/**
 * Takes a key out of the events of a limit that are not folded yet. What they count stays.
 *
 * Finds them by a look, so that it does not conflict with calls that append events.
 */
export async function forgetEvents(
  ctx: MutationCtx,
  key: string,
  cursor: string | undefined,
): Promise<string> {
  const asked = { key, cursor };
  const snapshot = snapshotOf(ctx);
  const found =
    (await lookStale(ctx, internal.forget.events, { ...asked, snapshot })) ??
    (await findEvents(ctx, asked));
  for (const id of found.ids) {
    // It may have been folded since the look.
    if ((await ctx.db.get("events", id)) === null) continue;
    await ctx.db.patch("events", id, { key: undefined });
  }
  return found.cursor;
}

export async function findEvents(
  ctx: QueryCtx,
  { key, cursor }: Asked,
): Promise<FoundIn<"events">> {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("events")
    .withIndex("at")
    .paginate(pageFrom(cursor));
  const ids = page.filter((event) => event.key === key).map(({ _id }) => _id);
  return { ids, cursor: isDone ? END : continueCursor };
}

/**
 * Takes a key out of the keys that were denied most, and with it those that look alike once they
 * are cut. Events have to be forgotten before: a fold adds them here.
 */
export async function forgetDenied(
  ctx: MutationCtx,
  key: string,
  cursor: string | undefined,
): Promise<string> {
  const asked = { key: shownKey(key), cursor };
  const snapshot = snapshotOf(ctx);
  const found =
    (await lookStale(ctx, internal.forget.denied, { ...asked, snapshot })) ??
    (await findDenied(ctx, asked));
  for (const id of found.ids) {
    // The vacuum may have deleted it since the look.
    const row = await ctx.db.get("deniedKeys", id);
    if (row === null) continue;
    const keys = row.keys.filter((denied) => denied.key !== asked.key);
    await ctx.db.patch("deniedKeys", id, { keys });
  }
  return found.cursor;
}

export async function findDenied(
  ctx: QueryCtx,
  { key, cursor }: Asked,
): Promise<FoundIn<"deniedKeys">> {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("deniedKeys")
    .withIndex("from")
    .paginate(pageFrom(cursor));
  const ids = page
    .filter(({ keys }) => keys.some((denied) => denied.key === key))
    .map(({ _id }) => _id);
  return { ids, cursor: isDone ? END : continueCursor };
}
