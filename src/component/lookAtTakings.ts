import { v } from "convex/values";
import { vRow } from "../core/vRow.js";
import type { Id } from "./_generated/dataModel.js";
import { internalQuery } from "./_generated/server.js";
import { isSpent, readBounded } from "./bounded.js";
import type { Place } from "./ledgers/ledger.js";
import {
  newestTaking,
  nextTaken,
  readTakings,
} from "./ledgers/storedTakings.js";

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
          nextAt: v.optional(v.number()),
          rule: v.optional(v.string()),
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
    return v.object({ ids: v.array(v.id("takings")), isMore: v.boolean() });
  },
  handler: async (
    ctx,
    { name, key, at, most },
  ): Promise<{ ids: Id<"takings">[]; isMore: boolean }> => {
    const docs = ctx.db
      .query("takings")
      .withIndex("at", (q) => q.eq("name", name).eq("key", key).lte("at", at));
    const { rows, isMore } = await readBounded(ctx, docs, { most });
    return { ids: rows.map(({ _id }) => _id), isMore };
  },
});

/** The first limits and keys with records behind another one: when they were last used, and their newest record. */
export const taken = internalQuery({
  get args() {
    return { after: v.optional(v.object(vPlace())), most: v.number() };
  },
  get returns() {
    return v.object({
      accounts: v.array(
        v.object({ ...vPlace(), usedAt: v.number(), newest: v.int64() }),
      ),
      isMore: v.boolean(),
    });
  },
  handler: async (ctx, { after, most }) => {
    const accounts: (Place & { usedAt: number; newest: bigint })[] = [];
    let oldest = await nextTaken(ctx, undefined, after);
    while (oldest !== null) {
      const { name, key } = oldest;
      const newest = (await newestTaking(ctx, name, key))!;
      const { at, _creationTime: usedAt } = newest;
      // None is of the own transaction, of which a look shows nothing.
      accounts.push({ name, key, usedAt, newest: at as bigint });
      const isFull = accounts.length >= most || (await isSpent(ctx));
      oldest = await nextTaken(ctx, undefined, { name, key });
      if (isFull) break;
    }
    return { accounts, isMore: oldest !== null };
  },
});
