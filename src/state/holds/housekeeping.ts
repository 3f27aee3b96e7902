import { compareValues } from "convex/values";
import { idleBefore } from "../row/row.js";
import { deleteSome, findToClear } from "../budget.js";
import { listByKey, ofLimitKeys } from "../keyed.js";
import type { Store } from "../store.js";
import { storedLeases, toLeaseRows, voidHold } from "./leases.js";

export const holds: Store = {
  ...ofLimitKeys("holds", (ctx, { name, key }) => {
    const ofKey = ctx.db
      .query("holds")
      .withIndex("name", (q) => q.eq("name", name).eq("key", key));
    return deleteSome(ctx, "holds", ofKey);
  }),

  /** Deletes holds that expired over an hour ago. */
  async vacuum(ctx, now, cursor) {
    const expired = ctx.db
      .query("holds")
      .withIndex("expiresAt", (q) => q.lt("expiresAt", idleBefore(now)));
    return (await deleteSome(ctx, "holds", expired)) ? cursor : undefined;
  },

  /** Ends all holds. What is kept for a `once`, or for a scheduled function, stays. */
  async clear(ctx, upTo) {
    const newestFirst = ctx.db
      .query("holds")
      .withIndex("by_creation_time", (q) => q.lte("_creationTime", upTo))
      .order("desc");
    const { found, next } = await findToClear(ctx, newestFirst);
    for (const hold of found) await voidHold(ctx, hold);
    return next;
  },

  /**
   * The keys of concurrency limits that have leases, by name and key. A limit whose config is not
   * known is listed only if it is asked for by name, with the config of its newest lease.
   */
  keys(ctx, { limits, name: only, prefix }, now) {
    const kinds = new Map(limits.map((one) => [one.name, one.config.kind]));
    const all = only === undefined ? [...kinds.keys()] : [only];
    const names = all
      .filter((name) => (kinds.get(name) ?? "concurrency") === "concurrency")
      .sort(compareValues);
    const from = (first: string = "") =>
      names.filter((name) => compareValues(name, first) >= 0);
    return listByKey(ctx, "holds", from, prefix, async (limitKey) => {
      const leases = await storedLeases(ctx, limitKey, now);
      const rows = toLeaseRows(leases);
      if (rows.length === 0) return null;
      const [newest] = leases.sort((a, b) => b._creationTime - a._creationTime);
      return { ...limitKey, rows, config: newest!.config };
    });
  },
};
