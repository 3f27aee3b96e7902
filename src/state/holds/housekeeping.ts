import { compareValues } from "convex/values";
import { stream } from "convex-helpers/server/stream";
import type { Doc } from "../../component/_generated/dataModel.js";
import type { QueryCtx } from "../../component/_generated/server.js";
import schema from "../../component/schema.js";
import { idleBefore } from "../row/row.js";
import { deleteSome, findToClear } from "../budget.js";
import { listByKey, ofLimitKeys, spanOfLimit } from "../keyed.js";
import { findBatch, listOf } from "../pages.js";
import { resetKey } from "../reset.js";
import type { Store } from "../store.js";
import { ALL, before } from "../walk.js";
import { storedLeases, toLeaseRows, voidHold } from "./leases.js";

const stored = ({ db }: QueryCtx) => stream(db, schema).query("holds");
const byLimit = (ctx: QueryCtx) => stored(ctx).withIndex("name");

export const holds: Store = {
  ...ofLimitKeys({
    table: "holds",
    byLimit,
    ofKey: (ctx, key) => stored(ctx).withIndex("key", (q) => q.eq("key", key)),
    deleteSome(ctx, { name, key }) {
      const ofKey = stored(ctx).withIndex("name", (q) =>
        q.eq("name", name).eq("key", key),
      );
      return deleteSome(ctx, "holds", ofKey, ALL);
    },
  }),

  /** Deletes holds that expired over an hour ago. */
  async vacuum(ctx, now, cursor) {
    const byEnd = stored(ctx).withIndex("expiresAt");
    const expired = { from: before(), to: before(idleBefore(now)) };
    const isMore = await deleteSome(ctx, "holds", byEnd, expired);
    return isMore ? cursor : undefined;
  },

  /** Ends all holds. What is kept for a `once`, or for a scheduled function, stays. */
  async clear(ctx, upTo) {
    const newestFirst = stored(ctx).order("desc");
    const { found, next } = await findToClear(ctx, newestFirst, upTo);
    for (const hold of found) await voidHold(ctx, hold);
    return next;
  },

  /** Finds the holds that are open: their keys may have no rows. */
  reset: {
    find(ctx, name, cursor) {
      const now = Date.now();
      const toOpen = async ({ _id, isSettled, expiresAt }: Doc<"holds">) =>
        isSettled || expiresAt <= now ? null : _id;
      const ids = listOf(byLimit(ctx), toOpen, { spans: [spanOfLimit(name)] });
      return findBatch(ctx, ids, cursor);
    },
    async sweepIn(ctx, _, found) {
      const id = ctx.db.normalizeId("holds", found);
      const hold = id && (await ctx.db.get("holds", id));
      // It may have ended with another one of its key.
      if (!hold || hold.isSettled) return false;
      await voidHold(ctx, hold);
      // What is before it has been swept.
      await resetKey(ctx, hold, hold.expiresAt - 1);
      return false;
    },
  },

  /**
   * The keys of concurrency limits that have leases, by name and key. A limit whose config is not
   * known is listed only if it is asked for by name, with the config of its newest lease.
   */
  keys(ctx, { limits, name: only, prefix }, now) {
    const kinds = new Map(limits.map((one) => [one.name, one.config.kind]));
    const all = only === undefined ? [...kinds.keys()] : [only];
    const spans = all
      .filter((name) => (kinds.get(name) ?? "concurrency") === "concurrency")
      .sort(compareValues)
      .map((name) => spanOfLimit(name, prefix));
    return listByKey(byLimit(ctx), spans, async (limitKey) => {
      const leases = await storedLeases(ctx, limitKey, now);
      const rows = toLeaseRows(leases);
      if (rows.length === 0) return null;
      const [newest] = leases.sort((a, b) => b._creationTime - a._creationTime);
      return { ...limitKey, rows, config: newest!.config };
    });
  },
};
