import { v } from "convex/values";
import { reject } from "../core/reject.js";
import {
  addTo,
  bucketAt,
  BUCKETS,
  bucketsOf,
  firstBucket,
  heaviest,
  merged,
  MOST_KEYS,
  requireRange,
  shownKey,
  plus,
  type Bucket,
} from "../core/figures.js";
import {
  vBy,
  vDeniedKey,
  vFigures,
  type By,
  type DeniedKey,
  type Figures,
} from "../core/vFigures.js";
import { internal } from "./_generated/api.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  query,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server.js";
import { deleteSome, readBounded } from "./bounded.js";
import { lookStale } from "./ledgers/look.js";
import { idleBefore } from "./idle.js";

/** How much a query reads of what is not bounded by its range: enough for all keys of 30 days. */
const MOST = { share: 3 / 4 };

/** So many events are folded in one transaction: each may need three rows of its own. */
const BATCH = 1000;

/**
 * Adds events to the figures, each once: it is deleted in the same transaction. The events of
 * one limit, or of all; schedules itself until none is left.
 *
 * It finds them by a look, so that those that are appended meanwhile are no conflict. Two folds
 * conflict, and the second finds those gone that the first has folded.
 */
export const fold = internalMutation({
  args: { name: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    const asked = { name, most: BATCH };
    const { ids, isMore } = await lookStale(
      ctx,
      internal.figures.oldest,
      asked,
    );
    const byName = new Map<string, Doc<"events">[]>();
    for (const id of ids) {
      const event = await ctx.db.get("events", id);
      if (event === null) continue;
      await ctx.db.delete("events", id);
      const events = byName.get(event.name) ?? [];
      byName.set(event.name, events);
      events.push(event);
    }
    for (const [of, events] of byName) await addEvents(ctx, of, events);
    if (isMore) {
      await ctx.scheduler.runAfter(0, internal.figures.fold, { name });
    }
    return null;
  },
});

/** The events that were committed first, of one limit or of all. */
export const oldest = internalQuery({
  args: { name: v.optional(v.string()), most: v.number() },
  returns: v.object({ ids: v.array(v.id("events")), isMore: v.boolean() }),
  handler: async (
    ctx,
    { name, most },
  ): Promise<{ ids: Id<"events">[]; isMore: boolean }> => {
    const events = ctx.db.query("events");
    const found =
      name === undefined
        ? events.withIndex("at")
        : events.withIndex("name", (q) => q.eq("name", name));
    const { rows, isMore } = await readBounded(ctx, found, { most });
    return { ids: rows.map(({ _id }) => _id), isMore };
  },
});

async function addEvents(
  ctx: MutationCtx,
  name: string,
  events: readonly Doc<"events">[],
): Promise<void> {
  for (const by of ["minute", "hour"] as const) {
    const sums = new Map<number, Figures>();
    for (const event of events) addTo(sums, bucketAt(event.time, by), event);
    for (const [from, figures] of sums) {
      await addFigures(ctx, { name, by, from }, figures);
    }
  }
  const denials = new Map<number, DeniedKey[]>();
  for (const event of events) {
    const from = bucketAt(event.time, "hour");
    const keys = denials.get(from) ?? [];
    denials.set(from, keys);
    keys.push(...denialsOf(event));
  }
  for (const [from, keys] of denials) {
    if (keys.length > 0) await addDeniedKeys(ctx, { name, from }, keys);
  }
}

async function addFigures(
  ctx: MutationCtx,
  bucket: { name: string; by: By; from: number },
  figures: Figures,
): Promise<void> {
  const { name, by, from } = bucket;
  const row = await ctx.db
    .query("figures")
    .withIndex("name", (q) => q.eq("name", name).eq("by", by).eq("from", from))
    .unique();
  if (row === null) await ctx.db.insert("figures", { ...bucket, ...figures });
  else await ctx.db.patch("figures", row._id, plus(row, figures));
}

async function addDeniedKeys(
  ctx: MutationCtx,
  { name, from }: { name: string; from: number },
  denials: readonly DeniedKey[],
): Promise<void> {
  const row = await ctx.db
    .query("deniedKeys")
    .withIndex("name", (q) => q.eq("name", name).eq("from", from))
    .unique();
  const keys = heaviest([...(row?.keys ?? []), ...denials], MOST_KEYS);
  if (row === null) await ctx.db.insert("deniedKeys", { name, from, keys });
  else await ctx.db.patch("deniedKeys", row._id, { keys });
}

/** Whom an event denied. What all share has no key to tell. */
function denialsOf({ key, denied }: Doc<"events">): DeniedKey[] {
  if (key === undefined || denied === 0) return [];
  return [{ key: shownKey(key), denied }];
}

/**
 * How many calls of a limit were granted and denied, and the tokens that they took: by the
 * minute or the hour, each one that the range touches. Reads the rows of the range, and the
 * events of the limit that are not folded yet.
 */
export const stats = query({
  args: { name: v.string(), from: v.number(), to: v.number(), by: vBy() },
  returns: v.array(
    v.object({ from: v.number(), to: v.number(), ...vFigures().fields }),
  ),
  handler: async (ctx, { name, ...range }): Promise<Bucket[]> => {
    const now = Date.now();
    requireRange(name, range);
    const { from, to, by } = range;
    const rows = await ctx.db
      .query("figures")
      .withIndex("name", (q) =>
        q
          .eq("name", name)
          .eq("by", by)
          .gte("from", firstBucket(from, by, now))
          .lt("from", to),
      )
      .collect();
    const folded = rows.map((row) => ({ ...row, time: row.from }));
    return bucketsOf([...folded, ...(await eventsOf(ctx, name))], range, now);
  },
});

/**
 * The keys that a limit denied most, in the hours that a range touches. Reads a row for each
 * of these, and the events of the limit that are not folded yet.
 */
export const topDenied = query({
  args: {
    name: v.string(),
    from: v.number(),
    to: v.number(),
    limit: v.optional(v.number()),
  },
  returns: v.array(vDeniedKey()),
  handler: async (
    ctx,
    { name, from, to, limit = 10 },
  ): Promise<DeniedKey[]> => {
    requireRange(name, { from, to, by: "hour" });
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST_KEYS) {
      reject(name, "limit", `a whole number from 1 to ${MOST_KEYS}`, limit);
    }
    const start = firstBucket(from, "hour", Date.now());
    const newestFirst = ctx.db
      .query("deniedKeys")
      .withIndex("name", (q) =>
        q.eq("name", name).gte("from", start).lt("from", to),
      )
      .order("desc");
    const { rows } = await readBounded(ctx, newestFirst, MOST);
    const denials = rows.flatMap(({ keys }) => keys);
    for (const event of await eventsOf(ctx, name)) {
      const hour = bucketAt(event.time, "hour");
      if (hour >= start && hour < to) denials.push(...denialsOf(event));
    }
    return merged(denials)
      .slice(0, limit)
      .map(({ key, denied }) => ({ key, denied: Math.round(denied) }));
  },
});

/** The events that are not folded yet: the first of them, if nobody has folded for long. */
async function eventsOf(ctx: QueryCtx, name: string): Promise<Doc<"events">[]> {
  const events = ctx.db
    .query("events")
    .withIndex("name", (q) => q.eq("name", name));
  return (await readBounded(ctx, events, MOST)).rows;
}

/**
 * Deletes what has been kept for long enough.
 *
 * @returns Whether there is more.
 */
export async function deleteFigures(
  ctx: MutationCtx,
  now: number,
  most: number,
): Promise<boolean> {
  const endOf = (by: By) => idleBefore(now - BUCKETS[by].keptFor);
  let isMore = false;
  for (const by of ["minute", "hour"] as const) {
    const figures = ctx.db
      .query("figures")
      .withIndex("from", (q) => q.eq("by", by).lt("from", endOf(by)));
    isMore = (await deleteSome(ctx, "figures", figures, most)) || isMore;
  }
  const keys = ctx.db
    .query("deniedKeys")
    .withIndex("from", (q) => q.lt("from", endOf("hour")));
  return (await deleteSome(ctx, "deniedKeys", keys, most)) || isMore;
}

/** Has events folded that are left. */
export async function foldWhatIsLeft(ctx: MutationCtx): Promise<void> {
  const { ids } = await lookStale(ctx, internal.figures.oldest, { most: 1 });
  if (ids.length > 0) {
    await ctx.scheduler.runAfter(0, internal.figures.fold, {});
  }
}
