import { v } from "convex/values";
import { vRow } from "../core/vRow.js";
import { internalQuery } from "./_generated/server.js";
import { readTakings } from "./ledgers/storedTakings.js";

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
