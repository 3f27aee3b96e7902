import {
  addTo,
  bucketAt,
  heaviest,
  MOST_KEYS,
  plus,
  shownKey,
} from "../../../core/stats.js";
import type { By, DeniedKey, Stats } from "../../../core/vStats.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

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
    for (const event of events) addTo(sums, bucketAt(event.time, by), event);
    for (const [from, stats] of sums) {
      await addStats(ctx, { name, by, from }, stats);
    }
  }
  for (const wouldDeny of [undefined, true] as const) {
    const denials = new Map<number, DeniedKey[]>();
    for (const event of events) {
      const from = bucketAt(event.time, "hour");
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
  bucket: { name: string; by: By; from: number },
  stats: Stats,
): Promise<void> {
  const { name, by, from } = bucket;
  const row = await ctx.db
    .query("stats")
    .withIndex("name", (q) => q.eq("name", name).eq("by", by).eq("from", from))
    .unique();
  if (row === null) await ctx.db.insert("stats", { ...bucket, ...stats });
  else await ctx.db.patch("stats", row._id, plus(row, stats));
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
  const keys = heaviest([...(row?.keys ?? []), ...denials], MOST_KEYS);
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
  return [{ key: shownKey(key), denied }];
}
