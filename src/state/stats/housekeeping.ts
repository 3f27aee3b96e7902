import { type QueryStream, stream } from "convex-helpers/server/stream";
import { idleBefore } from "../row/row.js";
import {
  intervalStart,
  INTERVALS,
  heavyHitters,
  MAX_DENIED_KEYS,
  NO_STATS,
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
import { findBatch, listOf } from "../pages.js";
import { lookStale } from "../stale.js";
import type { Store, Sweep } from "../store.js";
import { before } from "../walk.js";

/**
 * Adds events to the stats, and deletes them in the same transaction, so that each counts once.
 * Skips an event that another fold has deleted meanwhile.
 */
export async function foldEvents(
  ctx: MutationCtx,
  ids: readonly Id<"events">[],
): Promise<void> {
  const events: Doc<"events">[] = [];
  for (const id of ids) {
    const event = await ctx.db.get("events", id);
    if (event === null) continue;
    await ctx.db.delete("events", id);
    events.push(event);
  }
  for (const by of ["minute", "hour"] as const) {
    for (const { name, from, events: some } of byInterval(events, by)) {
      await addStats(ctx, { name, by, from }, some.reduce(sumStats, NO_STATS));
      if (by === "minute") continue;
      await addDeniedKeys(ctx, { name, wouldDeny: undefined, from }, some);
      await addDeniedKeys(ctx, { name, wouldDeny: true, from }, some);
    }
  }
}

/** Groups events by limit, and by the minute or the hour. */
function byInterval(events: readonly Doc<"events">[], by: Resolution) {
  type Group = { name: string; from: number; events: Doc<"events">[] };
  const groups = new Map<string, Group>();
  for (const event of events) {
    const { name } = event;
    const from = intervalStart(event.time, by);
    const id = JSON.stringify([name, from]);
    const group = groups.get(id) ?? { name, from, events: [] };
    group.events.push(event);
    groups.set(id, group);
  }
  return groups.values();
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
  events: readonly Doc<"events">[],
): Promise<void> {
  const { name, wouldDeny, from } = hour;
  const denials = events.flatMap((event) => denialsOf(event, wouldDeny));
  if (denials.length === 0) return;
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

/** What must have begun before this time to have been kept for long enough. */
const keptFrom = (by: Resolution, now: number) =>
  idleBefore(now - INTERVALS[by].keptFor);

export const events: Store = {
  /** Schedules a fold if there are leftover events. */
  async vacuum(ctx) {
    const oldest = { most: 1 };
    const { ids } = await lookStale(ctx, internal.jobs.oldestEvents, oldest);
    if (ids.length > 0) {
      await ctx.scheduler.runAfter(0, internal.jobs.fold, {});
    }
    return undefined;
  },

  /** Takes a key out of events that are not folded yet. What they count stays. */
  forget: forgetInDocs(
    "events",
    ({ db }) => stream(db, schema).query("events").withIndex("at"),
    (event, key) => (event.key === key ? { key: undefined } : undefined),
  ),
};

export const deniedKeys: Store = {
  async vacuum(ctx, now, cursor) {
    const byHour = stream(ctx.db, schema).query("deniedKeys").withIndex("from");
    const old = { from: before(), to: before(keptFrom("hour", now)) };
    const isMore = await deleteSome(ctx, "deniedKeys", byHour, old);
    return isMore ? cursor : undefined;
  },

  /**
   * Takes a key out of the keys that were denied most, and with it those that look alike once they
   * are cut.
   */
  forget: forgetInDocs(
    "deniedKeys",
    ({ db }) => stream(db, schema).query("deniedKeys").withIndex("from"),
    ({ keys }, key) => {
      const stored = truncateKey(key);
      const others = keys.filter((one) => one.key !== stored);
      return others.length < keys.length ? { keys: others } : undefined;
    },
  ),
};

/**
 * Forgets a key by taking it out of documents.
 *
 * @param without What to change in a document that names the key; undefined if it does not.
 */
function forgetInDocs<Table extends "events" | "deniedKeys">(
  table: Table,
  docs: (ctx: QueryCtx) => QueryStream<Doc<Table>>,
  without: (doc: Doc<Table>, key: string) => Partial<Doc<Table>> | undefined,
): Sweep {
  return {
    find(ctx, key, cursor) {
      const ids = listOf(docs(ctx), async (doc) =>
        without(doc, key) ? doc._id : null,
      );
      return findBatch(ctx, ids, cursor);
    },
    async sweepIn({ db }, key, found) {
      const id = db.normalizeId(table, found);
      // It may have been folded or vacuumed since the look.
      const doc = id && (await db.get(table, id));
      const change = doc && without(doc, key);
      if (change) await db.patch(table, id, change);
      return false;
    },
  };
}

export const stats: Store = {
  async vacuum(ctx, now, cursor) {
    const byTime = stream(ctx.db, schema).query("stats").withIndex("from");
    const old = (by: Resolution) => ({
      from: before(by),
      to: before(by, keptFrom(by, now)),
    });
    const spans = [old("minute"), old("hour")];
    const isMore = await deleteSome(ctx, "stats", byTime, ...spans);
    return isMore ? cursor : undefined;
  },
};
