import { v } from "convex/values";
import type { Row } from "../core/rows.js";
import { vPlace } from "../core/vPlace.js";
import { vRow } from "../core/vRow.js";
import { internalQuery } from "./_generated/server.js";
import { isAged } from "./ledgers/look.js";
import { parseRow } from "./ledgers/storedRows.js";

/**
 * The stored rows of a limit and key, all of them or a range, for the ledger of rows; null if
 * they are older than the mutation's snapshot.
 */
export const look = internalQuery({
  get args() {
    const vRange = v.object({
      first: v.number(),
      count: v.number(),
      shards: v.number(),
    });
    return {
      ...vPlace().fields,
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
    if (isAged(ctx, snapshot)) return null;
    const between = (from: number, to: number) =>
      ctx.db
        .query("rateLimits")
        .withIndex("name", (q) =>
          q.eq("name", name).eq("key", key).gte("shard", from).lt("shard", to),
        )
        .collect();
    const { first, count, shards } = range ?? ALL;
    const end = first + count;
    const docs = await between(first, Math.min(end, shards));
    // From the last shard on it goes on with the first.
    if (end > shards) docs.push(...(await between(0, end - shards)));
    return docs.map(parseRow).filter((row) => row !== undefined);
  },
});

const ALL = { first: 0, count: Infinity, shards: Infinity };
