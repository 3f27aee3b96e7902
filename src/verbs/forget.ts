import { v } from "convex/values";
import { type ListedOverride, vListedOverride } from "../core/validators.js";
import { mutation } from "../component/_generated/server.js";
import { documentsWritten } from "../state/stale.js";
import { STORES } from "../state/stores.js";
import { startSweep } from "./sweeps.js";

/** Deletes all that is stored for a key, in all limits. */
export const forget = mutation({
  args: { key: v.string(), bans: v.optional(v.boolean()) },
  returns: v.object({
    isDone: v.boolean(),
    /** The bans that stay. */
    bans: v.array(vListedOverride()),
  }),
  handler: async (ctx, { key, bans = false }) => {
    const now = Date.now();
    const hasWritten = (await documentsWritten(ctx)) > 0;
    const kept: ListedOverride[] = [];
    for (const store of STORES.values()) {
      const options = { bans, now };
      kept.push(...((await store.forgetAtOnce?.(ctx, key, options)) ?? []));
    }
    const isDone = await startSweep(ctx, "forget", key, hasWritten);
    return { isDone, bans: kept };
  },
});
