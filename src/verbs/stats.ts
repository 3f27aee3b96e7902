import { v } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import { requireWhole } from "../core/checks.js";
import { HOUR } from "../core/periods.js";
import {
  intervalStart,
  intervalsOf,
  firstIntervalStart,
  mayMissDenials,
  mergeDenials,
  MAX_DENIED_KEYS,
  checkRange,
  truncateKey,
  type TimeRange,
} from "../core/stats.js";
import {
  type DeniedKey,
  vResolution,
  vDeniedHour,
  vDeniedKey,
  vStats,
} from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import type { Doc } from "../component/_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  query,
  type QueryCtx,
} from "../component/_generated/server.js";
import schema from "../component/schema.js";
import { BATCH, readBounded } from "../state/budget.js";
import { lookStale } from "../state/stale.js";
import { denialsOf, foldEvents } from "../state/stats/housekeeping.js";
import { walk } from "../state/walk.js";

/**
 * A query stops reading events or denied keys after this share of what a transaction may read:
 * enough for the denied keys of 30 days.
 */
const BOUNDS = { share: 3 / 4 };

/**
 * Adds the events of one limit, or of all, to the stats. Schedules itself until no event is left.
 *
 * Finds the events by a look, so that it does not conflict with calls that append events.
 */
export const fold = internalMutation({
  args: { name: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    // Each may need three rows of its own.
    const args = { name, most: BATCH };
    const { oldestEvents } = internal.jobs;
    const { ids, isMore } = await lookStale(ctx, oldestEvents, args);
    await foldEvents(ctx, ids);
    if (isMore) await ctx.scheduler.runAfter(0, internal.jobs.fold, { name });
    return null;
  },
});

/** The events that were committed first, of one limit or of all. */
export const oldestEvents = internalQuery({
  args: { name: v.optional(v.string()), most: v.number() },
  returns: v.object({ ids: v.array(v.id("events")), isMore: v.boolean() }),
  handler: async (ctx, { name, most }) => {
    const events = walk(streamEvents(ctx, name));
    const { items, isMore } = await readBounded(ctx, events, { most });
    return { ids: items.map(([{ _id }]) => _id), isMore };
  },
});

/** The events that are not folded yet, of one limit or of all, in the order of their commits. */
function streamEvents({ db }: QueryCtx, name: string | undefined) {
  const events = stream(db, schema).query("events");
  return name === undefined
    ? events.withIndex("at")
    : events.withIndex("name", (q) => q.eq("name", name));
}

const rangeFields = { name: v.string(), from: v.number(), to: v.number() };

/**
 * How many calls of a limit were granted and denied, and the tokens that they took, for each minute
 * or hour that the range touches. Reads the rows of the range, and the limit's events that are not
 * folded yet.
 */
export const stats = query({
  args: { ...rangeFields, by: vResolution() },
  returns: v.array(
    v.object({ from: v.number(), to: v.number(), ...vStats().fields }),
  ),
  handler: async (ctx, args) => {
    const range = openRange(args);
    const rows = await foldedOf(ctx, range);
    const folded = rows.map((row) => ({ ...row, time: row.from }));
    const events = await readBounded(ctx, streamEvents(ctx, args.name), BOUNDS);
    return intervalsOf([...folded, ...events.items], range, range.now);
  },
});

/**
 * The keys that a limit denied most, or that a dry run would have denied most, in the hours that a
 * range touches. Reads a row for each hour, and the limit's events that are not folded yet.
 */
export const topDenied = query({
  args: {
    ...rangeFields,
    numKeys: v.optional(v.number()),
    wouldDeny: v.optional(v.boolean()),
  },
  returns: v.array(vDeniedKey()),
  handler: async (ctx, { numKeys = 10, ...args }) => {
    const range = openRange({ ...args, by: "hour" });
    requireWhole(args.name, "numKeys", numKeys, MAX_DENIED_KEYS);
    const wouldDeny = args.wouldDeny || undefined;
    const { hours } = await denialsByHour(ctx, range, wouldDeny);
    const denials = [...hours.values()].flatMap((hour) => hour.denials);
    return mergeDenials(denials)
      .slice(0, numKeys)
      .map(({ key, denied }) => ({ key, denied: Math.round(denied) }));
  },
});

/**
 * How often a limit denied one key, for each hour that a range touches. Keys that look alike once
 * they are cut to be stored count as one. Reads two rows for each hour, and the limit's events that
 * are not folded yet.
 */
export const deniedOf = query({
  args: { ...rangeFields, key: v.string() },
  returns: v.array(vDeniedHour()),
  handler: async (ctx, { key, ...args }) => {
    const range = openRange({ ...args, by: "hour" });
    const counted = await foldedOf(ctx, range);
    const { hours, isMore } = await denialsByHour(ctx, range, undefined);
    const cut = truncateKey(key);
    return Array.from(hours, ([from, { kept, denials }]) => {
      const all = counted.find((row) => row.from === from)?.denied ?? 0;
      const own = denials.filter((denial) => denial.key === cut);
      const denied = Math.round(mergeDenials(own)[0]?.denied ?? 0);
      return {
        from,
        denied,
        isLowerBound: isMore || mayMissDenials(kept, all),
      };
    });
  },
});

/**
 * A range of whole intervals, from `start` up to `to`, without those too old to be kept. If it ends
 * now, it includes an interval that begins now.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
function openRange({ name, ...range }: TimeRange & { name: string }) {
  checkRange(name, range);
  const now = Date.now();
  const start = firstIntervalStart(range.from, range.by, now);
  const to = range.to === now ? now + 1 : range.to;
  return { ...range, name, start, to, now };
}

type OpenRange = ReturnType<typeof openRange>;

/** The folded stats of a limit, one row for each minute or hour. */
function foldedOf(
  ctx: QueryCtx,
  { name, by, start, to }: OpenRange,
): Promise<Doc<"stats">[]> {
  return ctx.db
    .query("stats")
    .withIndex("name", (q) =>
      q.eq("name", name).eq("by", by).gte("from", start).lt("from", to),
    )
    .collect();
}

/**
 * The denials in each hour of a range: those kept for the keys that were denied most, and all,
 * with those of events that are not folded yet. As many as can be read, the newest hours first.
 */
async function denialsByHour(
  ctx: QueryCtx,
  { name, start, to }: OpenRange,
  wouldDeny: true | undefined,
) {
  const newestFirst = ctx.db
    .query("deniedKeys")
    .withIndex("name", (q) =>
      q
        .eq("name", name)
        .eq("wouldDeny", wouldDeny)
        .gte("from", start)
        .lt("from", to),
    )
    .order("desc");
  const { items: rows } = await readBounded(ctx, newestFirst, BOUNDS);
  const events = await readBounded(ctx, streamEvents(ctx, name), BOUNDS);
  const keptIn = new Map(rows.map(({ from, keys }) => [from, keys]));
  const hours = new Map<number, { kept: DeniedKey[]; denials: DeniedKey[] }>();
  for (let from = start; from < to; from += HOUR) {
    const kept = keptIn.get(from) ?? [];
    hours.set(from, { kept, denials: [...kept] });
  }
  for (const event of events.items) {
    const hour = hours.get(intervalStart(event.time, "hour"));
    hour?.denials.push(...denialsOf(event, wouldDeny));
  }
  return { hours, isMore: events.isMore };
}
