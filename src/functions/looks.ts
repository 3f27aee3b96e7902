import { v } from "convex/values";
import type { Row } from "../core/rows.js";
import { vLimitKey, vRow } from "../core/validators.js";
import { internalQuery } from "../component/_generated/server.js";
import { parseRows } from "../stores/rows/stored.js";
import { isOlderSnapshot } from "../stores/stale.js";

/**
 * The stored rows of a limit key, all of them or a range; null if the snapshot is older than the
 * mutation's.
 */
export const storedRows = internalQuery({
  get args() {
    const vRange = v.object({ first: v.number(), size: v.number() });
    return {
      ...vLimitKey().fields,
      range: v.optional(vRange),
      snapshot: v.optional(v.int64()),
    };
  },
  get returns() {
    return v.union(v.array(vRow()), v.null());
  },
  handler: async (
    ctx,
    { name, key, range, snapshot },
  ): Promise<Row[] | null> => {
    if (isOlderSnapshot(ctx, snapshot)) return null;
    const { first, size } = range ?? { first: 0, size: Infinity };
    const docs = await ctx.db
      .query("rateLimits")
      .withIndex("name", (q) =>
        q
          .eq("name", name)
          .eq("key", key)
          .gte("shard", first)
          .lt("shard", first + size),
      )
      .collect();
    return parseRows(docs);
  },
});
