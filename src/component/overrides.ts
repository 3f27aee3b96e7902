import { v, type Infer } from "convex/values";
import { parseLimit, type RateLimitConfig } from "../core/config.js";
import type { Doc } from "./_generated/dataModel.js";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import { vOverride, type Override } from "./overrideKinds.js";

/**
 * The override that applies to a key now, if any: the key's own, else the limit's.
 *
 * Reads one row: the last one up to the key in the index, where the limit's own
 * override comes before that of any key. Only if the override of another key is in
 * between, or the key's own has expired, is the limit's own read too.
 */
export async function activeOverride(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
  now: number,
): Promise<Doc<"overrides"> | undefined> {
  const nearest = await ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).lte("key", key))
    .order("desc")
    .first();
  if (nearest === null) return undefined;
  if (nearest.key === key && isActive(nearest, now)) return nearest;
  if (nearest.key === undefined || key === undefined) {
    return isActive(nearest, now) ? nearest : undefined;
  }
  const forAll = await find(ctx, name, undefined);
  return forAll !== null && isActive(forAll, now) ? forAll : undefined;
}

const ANY_CONFIG = { kind: "token bucket", rate: 1, period: 1 } as const;

/** The config as an override changes it. */
export function withOverride(
  config: RateLimitConfig,
  override: Override | undefined,
): RateLimitConfig {
  if (override === undefined || !("config" in override)) return config;
  return { ...config, ...override.config };
}

/**
 * Stores an override for one key, or without `key` for the whole limit, in place
 * of the one that was there. Reads and writes one row.
 */
export const setOverride = mutation({
  args: {
    name: v.string(),
    key: v.optional(v.string()),
    override: vOverride,
    expiresAt: v.optional(v.number()),
    note: v.optional(v.string()),
  },
  returns: v.null(),
  handler: async (ctx, { name, key, override, expiresAt, note }) => {
    // Each field is checked by itself, whatever config it will be laid over.
    parseLimit(name, withOverride(ANY_CONFIG, override));
    if (expiresAt !== undefined && !Number.isFinite(expiresAt)) {
      throw new Error(
        `Rate limit ${name}: expiresAt must be a finite number, but is ${expiresAt}.`,
      );
    }
    const row = { name, key, override, expiresAt, note };
    const existing = await find(ctx, name, key);
    if (existing === null) await ctx.db.insert("overrides", row);
    else await ctx.db.replace("overrides", existing._id, row);
    return null;
  },
});

/** Removes the override of one key, or of the whole limit. Reads and deletes one row. */
export const clearOverride = mutation({
  args: { name: v.string(), key: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { name, key }) => {
    const existing = await find(ctx, name, key);
    if (existing !== null) await ctx.db.delete("overrides", existing._id);
    return null;
  },
});

const vListed = v.object({
  name: v.string(),
  key: v.optional(v.string()),
  override: vOverride,
  expiresAt: v.optional(v.number()),
  note: v.optional(v.string()),
});

/** An override as `listOverrides` gives it. */
export type StoredOverride = Infer<typeof vListed>;

/** Most overrides that one call of `listOverrides` returns. */
const MOST_LISTED = 1000;

/**
 * The overrides that have not expired, of one limit or of all, by name and key.
 * At most 1,000; `after` continues behind a key.
 */
export const listOverrides = query({
  args: { name: v.optional(v.string()), after: v.optional(v.string()) },
  returns: v.array(vListed),
  handler: async (ctx, { name, after }): Promise<StoredOverride[]> => {
    if (name === undefined && after !== undefined) {
      throw new Error("listOverrides: to continue after a key, give the name.");
    }
    const now = Date.now();
    const rows = await ctx.db
      .query("overrides")
      .withIndex("name", (q) =>
        name === undefined
          ? q
          : after === undefined
            ? q.eq("name", name)
            : q.eq("name", name).gt("key", after),
      )
      .take(MOST_LISTED);
    return rows
      .filter((row) => isActive(row, now))
      .map(({ _id, _creationTime, ...row }) => row);
  },
});

function isActive(row: Doc<"overrides">, now: number): boolean {
  return row.expiresAt === undefined || row.expiresAt > now;
}

function find(ctx: QueryCtx, name: string, key: string | undefined) {
  return ctx.db
    .query("overrides")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .unique();
}
