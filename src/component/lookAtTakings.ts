import { v } from "convex/values";
import { vPlace } from "../core/vPlace.js";
import { vRow } from "../core/vRow.js";
import { internalQuery } from "./_generated/server.js";
import { readTakings } from "./ledgers/storedTakings.js";

/* What mutations see of takings, without a read dependency. */

/** The records that a limit's state follows from, for the ledger of takings. */
export const look = internalQuery({
  get args() {
    return vPlace().fields;
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
