import { v } from "convex/values";
import { vRow } from "../core/vRow.js";
import type { Id } from "./_generated/dataModel.js";
import { internalQuery } from "./_generated/server.js";
import { newestTaking, readTakings } from "./ledgers/storedTakings.js";

/* What mutations see of takings, without a read dependency. */

const vPlace = () => ({ name: v.string(), key: v.optional(v.string()) });

/** The records that a limit's state follows from, for the ledger of takings. */
export const look = internalQuery({
  get args() {
    return vPlace();
  },
  get returns() {
    return v.object({
      met: v.array(
        v.object({
          at: v.optional(v.int64()),
          seen: v.int64(),
          count: v.number(),
          reset: v.boolean(),
          value: v.number(),
          ts: v.number(),
          fullAt: v.number(),
        }),
      ),
      rows: v.array(vRow()),
    });
  },
  handler: (ctx, { name, key }) => readTakings(ctx, name, key),
});

/** The first records up to a commit. */
export const upTo = internalQuery({
  get args() {
    return { ...vPlace(), at: v.int64(), most: v.number() };
  },
  get returns() {
    return v.array(v.id("takings"));
  },
  handler: async (ctx, { name, key, at, most }): Promise<Id<"takings">[]> => {
    const docs = await ctx.db
      .query("takings")
      .withIndex("at", (q) => q.eq("name", name).eq("key", key).lte("at", at))
      .take(most);
    return docs.map(({ _id }) => _id);
  },
});

/** Whose records were created up to a time, the newest first. */
export const createdUpTo = internalQuery({
  get args() {
    return { before: v.number(), most: v.number() };
  },
  get returns() {
    return v.array(v.object({ ...vPlace(), createdAt: v.number() }));
  },
  handler: async (ctx, { before, most }) => {
    const docs = await ctx.db
      .query("takings")
      .withIndex("by_creation_time", (q) => q.lte("_creationTime", before))
      .order("desc")
      .take(most);
    return docs.map(({ name, key, _creationTime: createdAt }) => ({
      name,
      key,
      createdAt,
    }));
  },
});

/** The newest record of a limit and key. */
export const newest = internalQuery({
  get args() {
    return vPlace();
  },
  get returns() {
    return v.union(
      v.null(),
      v.object({ at: v.int64(), createdAt: v.number() }),
    );
  },
  handler: async (ctx, { name, key }) => {
    const doc = await newestTaking(ctx, name, key);
    if (doc === null || typeof doc.at !== "bigint") return null;
    return { at: doc.at, createdAt: doc._creationTime };
  },
});
