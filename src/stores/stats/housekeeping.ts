import { paginator } from "convex-helpers/server/pagination";
import { idleBefore } from "../../core/rows.js";
import {
  addToInterval,
  intervalStart,
  INTERVALS,
  heavyHitters,
  MAX_DENIED_KEYS,
  sumStats,
  truncateKey,
} from "../../core/stats.js";
import type { Resolution, DeniedKey, Stats } from "../../core/validators.js";
import { internal } from "../../component/_generated/api.js";
import type { Doc, Id } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import schema from "../../component/schema.js";
import { deleteSome } from "../budget.js";
import { END_CURSOR, type KeyAndCursor, PAGE_BYTES } from "../pages.js";
import { lookOrRead, lookStale } from "../stale.js";

/**
 * Adds events to the stats, and deletes them in the same transaction, so that each counts once.
 * Skips an event that another fold has deleted meanwhile.
 */
export async function foldEvents(
  ctx: MutationCtx,
  ids: readonly Id<"events">[],
): Promise<void> {
  const byName = new Map<string, Doc<"events">[]>();
  for (const id of ids) {
    const event = await ctx.db.get("events", id);
    if (event === null) continue;
    await ctx.db.delete("events", id);
    const events = byName.get(event.name) ?? [];
    byName.set(event.name, events);
    events.push(event);
  }
  for (const [name, events] of byName) await addEvents(ctx, name, events);
}

async function addEvents(
  ctx: MutationCtx,
  name: string,
  events: readonly Doc<"events">[],
): Promise<void> {
  for (const by of ["minute", "hour"] as const) {
    const sums = new Map<number, Stats>();
    for (const event of events)
      addToInterval(sums, intervalStart(event.time, by), event);
    for (const [from, stats] of sums) {
      await addStats(ctx, { name, by, from }, stats);
    }
  }
  for (const wouldDeny of [undefined, true] as const) {
    const denials = new Map<number, DeniedKey[]>();
    for (const event of events) {
      const from = intervalStart(event.time, "hour");
      const keys = denials.get(from) ?? [];
      denials.set(from, keys);
      keys.push(...denialsOf(event, wouldDeny));
    }
    for (const [from, keys] of denials) {
      if (keys.length > 0) {
        await addDeniedKeys(ctx, { name, wouldDeny, from }, keys);
      }
    }
  }
}

async function addStats(
  ctx: MutationCtx,
  interval: { name: string; by: Resolution; from: number },
  stats: Stats,
): Promise<void> {
  const { name, by, from } = interval;
  const row = await ctx.db
    .query("stats")
    .withIndex("name", (q) => q.eq("name", name).eq("by", by).eq("from", from))
    .unique();
  if (row === null) await ctx.db.insert("stats", { ...interval, ...stats });
  else await ctx.db.patch("stats", row._id, sumStats(row, stats));
}

async function addDeniedKeys(
  ctx: MutationCtx,
  hour: { name: string; wouldDeny: true | undefined; from: number },
  denials: readonly DeniedKey[],
): Promise<void> {
  const { name, wouldDeny, from } = hour;
  const row = await ctx.db
    .query("deniedKeys")
    .withIndex("name", (q) =>
      q.eq("name", name).eq("wouldDeny", wouldDeny).eq("from", from),
    )
    .unique();
  const keys = heavyHitters(
    [...(row?.keys ?? []), ...denials],
    MAX_DENIED_KEYS,
  );
  if (row === null) await ctx.db.insert("deniedKeys", { ...hour, keys });
  else await ctx.db.patch("deniedKeys", row._id, { keys });
}

/**
 * The denials of an event, if it has a key.
 *
 * @param wouldDeny True for those that a dry run would have denied.
 */
export function denialsOf(
  { key, ...stats }: Doc<"events">,
  wouldDeny?: true,
): DeniedKey[] {
  const { denied = 0 } = wouldDeny ? { denied: stats.wouldDeny } : stats;
  if (key === undefined || denied === 0) return [];
  return [{ key: truncateKey(key), denied }];
}

/** The most rows of a table to read or delete at a time, far below Convex's limits. */
const BATCH = 1000;

const pageFrom = (cursor: string | undefined) => ({
  numItems: BATCH,
  cursor: cursor ?? null,
  maximumBytesRead: PAGE_BYTES,
});

/** A part of a table: which of its rows name a key, and the cursor to continue from. */
type FoundIn<Table extends "events" | "deniedKeys"> = {
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
  const args: KeyAndCursor = { key, cursor };
  const { eventsOfKey } = internal.jobs;
  const found = await lookOrRead(ctx, eventsOfKey, args, findEvents);
  for (const id of found.ids) {
    // It may have been folded since the look.
    if ((await ctx.db.get("events", id)) === null) continue;
    await ctx.db.patch("events", id, { key: undefined });
  }
  return found.cursor;
}

export async function findEvents(
  ctx: QueryCtx,
  { key, cursor }: KeyAndCursor,
): Promise<FoundIn<"events">> {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("events")
    .withIndex("at")
    .paginate(pageFrom(cursor));
  const ids = page.filter((event) => event.key === key).map(({ _id }) => _id);
  return { ids, cursor: isDone ? END_CURSOR : continueCursor };
}

/**
 * Takes a key out of the keys that were denied most, and with it those that look alike once they
 * are cut. Events must be forgotten first, since a fold adds them here.
 */
export async function forgetDenied(
  ctx: MutationCtx,
  key: string,
  cursor: string | undefined,
): Promise<string> {
  const args: KeyAndCursor = { key: truncateKey(key), cursor };
  const { denialsOfKey } = internal.jobs;
  const found = await lookOrRead(ctx, denialsOfKey, args, findDenied);
  for (const id of found.ids) {
    // The vacuum may have deleted it since the look.
    const row = await ctx.db.get("deniedKeys", id);
    if (row === null) continue;
    const keys = row.keys.filter((one) => one.key !== args.key);
    await ctx.db.patch("deniedKeys", id, { keys });
  }
  return found.cursor;
}

export async function findDenied(
  ctx: QueryCtx,
  { key, cursor }: KeyAndCursor,
): Promise<FoundIn<"deniedKeys">> {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("deniedKeys")
    .withIndex("from")
    .paginate(pageFrom(cursor));
  const ids = page
    .filter(({ keys }) => keys.some((denied) => denied.key === key))
    .map(({ _id }) => _id);
  return { ids, cursor: isDone ? END_CURSOR : continueCursor };
}

/**
 * Deletes stats that have been kept for long enough, and schedules a fold if there are leftover
 * events.
 */
export async function vacuumStats(
  ctx: MutationCtx,
  now: number,
): Promise<string | undefined> {
  const { ids } = await lookStale(ctx, internal.jobs.oldestEvents, {
    most: 1,
  });
  if (ids.length > 0) {
    await ctx.scheduler.runAfter(0, internal.jobs.fold, {});
  }
  const keptFrom = (by: Resolution) => idleBefore(now - INTERVALS[by].keptFor);
  let isMore = false;
  for (const by of ["minute", "hour"] as const) {
    const stats = ctx.db
      .query("stats")
      .withIndex("from", (q) => q.eq("by", by).lt("from", keptFrom(by)));
    isMore = (await deleteSome(ctx, "stats", stats, BATCH)) || isMore;
  }
  const keys = ctx.db
    .query("deniedKeys")
    .withIndex("from", (q) => q.lt("from", keptFrom("hour")));
  isMore = (await deleteSome(ctx, "deniedKeys", keys, BATCH)) || isMore;
  return isMore ? undefined : END_CURSOR;
}
