import { v } from "convex/values";
import type { Row } from "../core/rows.js";
import { vLimitKey, vRow } from "../core/validators.js";
import { internalQuery } from "../component/_generated/server.js";
import { parseRows } from "../stores/rows/stored.js";
import { isOlderSnapshot } from "../stores/stale.js";
import { lazily } from "./lazily.js";

const ALL_ROWS = { first: 0, size: Infinity };

/**
 * The stored rows of a limit key, all of them or a range; null if the snapshot is older than the
 * mutation's.
 */
export const storedRows = internalQuery({
  args: lazily(() =>
    vLimitKey().extend({
      range: v.optional(v.object({ first: v.number(), size: v.number() })),
      snapshot: v.optional(v.int64()),
    }),
  ),
  returns: lazily(() => v.union(v.array(vRow()), v.null())),
  handler: async (
    ctx,
    { name, key, range: { first, size } = ALL_ROWS, snapshot },
  ): Promise<Row[] | null> => {
    if (isOlderSnapshot(ctx, snapshot)) return null;
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
