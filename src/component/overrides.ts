import { stream } from "convex-helpers/server/stream";
import { paginationOptsValidator, type PaginationResult } from "convex/server";
import { v } from "convex/values";
import { parseLimit } from "../core/limit.js";
import { reject, requireAbove0, requireAtLeast0 } from "../core/reject.js";
import { standing, type Overrides } from "../core/rules.js";
import {
  vStoredOverride,
  type StoredOverride,
  type TimedOverride,
} from "../core/vOverride.js";
import { idOf } from "../core/hash.js";
import type { Doc } from "./_generated/dataModel.js";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import schema from "./schema.js";

/**
 * The overrides that hold for a key now or will, its own and those of the whole limit;
 * undefined if there are none.
 *
 * Reads backwards from the key in the index, where the limit's own overrides come before
 * those of any key. Only if the overrides of another key are in between are the limit's
 * own read apart; not at all if one of the key's own holds for ever.
 */
export async function overridesOf(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
  now: number,
): Promise<Overrides | undefined> {
  const ofKey: TimedOverride[] = [];
  const ofLimit: TimedOverride[] = [];
  const upToKey = ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).lte("key", key))
    .order("desc");
  for await (const doc of upToKey) {
    if (doc.key === key && key !== undefined) {
      ofKey.push(doc);
      continue;
    }
    if (ofKey.some((own) => holdsForEver(own, now))) break;
    if (doc.key === undefined) ofLimit.push(doc);
    else {
      ofLimit.push(...(await find(ctx, name, undefined)));
      break;
    }
  }
  if (ofKey.length + ofLimit.length === 0) return undefined;
  return { ofKey, ofLimit };
}

function holdsForEver(
  { startsAt = -Infinity, expiresAt }: TimedOverride,
  now: number,
): boolean {
  return startsAt <= now && expiresAt === undefined;
}

const ANY_CONFIG = { kind: "token bucket", rate: 1, period: 1 } as const;

/**
 * Stores an override for one key, or without `key` for the whole limit: one that begins at
 * `startsAt`, in place of one that was still to begin, else one that holds at once, in
 * place of what did, a ban included. What can never apply again
 * goes. Reads and writes at most four rows.
 */
export const setOverride = mutation({
  args: vStoredOverride.omit("bans", "forgetAt").fields,
  returns: v.null(),
  handler: async (ctx, { name, key, override, startsAt, expiresAt, note }) => {
    // Each field is checked by itself, whatever config it will be laid over.
    if ("config" in override)
      parseLimit(name, ANY_CONFIG, key, override.config);
    const now = Date.now();
    requireTime(name, "startsAt", startsAt);
    requireTime(name, "expiresAt", expiresAt);
    if (
      expiresAt !== undefined &&
      expiresAt <= Math.max(now, startsAt ?? now)
    ) {
      reject(name, "expiresAt", "in the future and after startsAt", expiresAt);
    }
    const row = { name, key, override, startsAt, expiresAt, note };
    const stored = await find(ctx, name, key);
    const beside = stored.filter(
      (doc) => isMemory(doc, now) || isComing(doc, now) !== isComing(row, now),
    );
    const kept: TimedOverride[] = standing([...beside, row], now);
    const [existing, ...others] = stored.filter((doc) => !kept.includes(doc));
    if (existing === undefined) await ctx.db.insert("overrides", row);
    else await ctx.db.replace("overrides", existing._id, row);
    for (const { _id } of others) await ctx.db.delete("overrides", _id);
    return null;
  },
});

/**
 * Bans a key, for longer each time: for the first of `bans`, then for the next, and at last
 * for the last one again. `forgetAfter` ms after a ban has ended it begins with the first.
 * Stands beside what `setOverride` has stored for the key, and holds before it.
 *
 * Reads the overrides of the key, at most four, and writes one, in place of the ban before.
 */
export const penalize = mutation({
  args: {
    name: v.string(),
    key: v.string(),
    bans: v.array(v.number()),
    forgetAfter: v.number(),
  },
  returns: v.object({ retryAfter: v.number() }),
  handler: async (ctx, { name, key, bans, forgetAfter }) => {
    requireBans(name, bans);
    requireAtLeast0(name, "forgetAfter", forgetAfter);
    const now = Date.now();
    const stored = await find(ctx, name, key);
    const last = stored.find((doc) => doc.bans !== undefined);
    let before = 0;
    let expiresAt = now;
    if (last !== undefined && now < (last.forgetAt ?? now)) {
      before = last.bans ?? 0;
      expiresAt = last.expiresAt ?? now;
    }
    const ban = bans[Math.min(before, bans.length - 1)]!;
    expiresAt = Math.max(expiresAt, now + ban);
    const row = {
      name,
      key,
      override: { deny: true } as const,
      startsAt: now,
      expiresAt,
      bans: before + 1,
      forgetAt: expiresAt + forgetAfter,
    };
    if (last === undefined) await ctx.db.insert("overrides", row);
    else await ctx.db.replace("overrides", last._id, row);
    return { retryAfter: Math.ceil(expiresAt - now) };
  },
});

/** @throws An `Error` that names the limit and what is wrong with the bans. */
function requireBans(name: string, bans: readonly number[]): void {
  if (bans.length === 0) {
    reject(name, "bans", "a list of at least one time in ms", "[]");
  }
  bans.forEach((ban, i) => {
    requireAbove0(name, `bans[${i}]`, ban);
    const before = bans[i - 1] ?? 0;
    if (ban < before) reject(name, `bans[${i}]`, `at least ${before}`, ban);
  });
}

/** Removes the overrides of one key, bans included, or of the whole limit. Reads and deletes at most four rows. */
export const clearOverride = mutation({
  args: { name: v.string(), key: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { name, key }) => {
    for (const existing of await find(ctx, name, key)) {
      await ctx.db.delete("overrides", existing._id);
    }
    return null;
  },
});

/** So many rows are read for one page: each may be of a key of its own, which is read once more. */
const MOST_READ = 1000;

/**
 * The overrides that can still apply, of one limit or of all, by name and key, a page at a
 * time. Reads the rows of each key on the page, and those between them that apply no more.
 */
export const listOverrides = query({
  args: {
    name: v.optional(v.string()),
    paginationOpts: paginationOptsValidator,
  },
  returns: v.object({
    page: v.array(vStoredOverride),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async (
    ctx,
    { name, paginationOpts },
  ): Promise<
    Pick<PaginationResult<StoredOverride>, "page" | "isDone" | "continueCursor">
  > => {
    const now = Date.now();
    let last: { id: string; standing: Set<string> } | undefined;
    /** Rows of one key come one after another. */
    const stands = async ({ _id, name, key }: Doc<"overrides">) => {
      const id = idOf({ name, key });
      if (last?.id !== id) {
        const ofKey = standing(await find(ctx, name, key), now);
        last = { id, standing: new Set(ofKey.map((row) => row._id)) };
      }
      return last.standing.has(_id);
    };
    const { page, isDone, continueCursor } = await stream(ctx.db, schema)
      .query("overrides")
      .withIndex("name", (q) => (name === undefined ? q : q.eq("name", name)))
      .filterWith(async (row) => !isMemory(row, now) && stands(row))
      .paginate({ ...paginationOpts, maximumRowsRead: MOST_READ });
    const listed = page.map(({ _id, _creationTime, ...row }) => row);
    return { page: listed, isDone, continueCursor };
  },
});

/** Whether an override is still to begin. */
function isComing(
  { startsAt }: { startsAt?: number | undefined },
  now: number,
): boolean {
  return startsAt !== undefined && startsAt > now;
}

/** Whether a ban has ended, and only tells how long the next one is. */
function isMemory(
  { bans, expiresAt }: Pick<Doc<"overrides">, "bans" | "expiresAt">,
  now: number,
): boolean {
  return bans !== undefined && expiresAt !== undefined && expiresAt <= now;
}

function requireTime(
  name: string,
  field: string,
  time: number | undefined,
): void {
  if (time === undefined || Number.isFinite(time)) return;
  reject(name, field, "a finite number", time);
}

function find(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"overrides">[]> {
  return ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .collect();
}
