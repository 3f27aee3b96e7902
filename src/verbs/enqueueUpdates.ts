import { v } from "convex/values";
import { vGivenRefillingConfig, vLimitKey } from "../core/validators.js";
import { mutation } from "../component/_generated/server.js";
import { resetKey } from "../state/reset.js";
import { chargeTokens, openToAdjust } from "./adjust.js";
import { lazily } from "./lazily.js";

/** An update as `@convex-dev/rate-limiter` queues it. */
const vUpdate = () =>
  v.union(
    vLimitKey().extend({
      kind: v.literal("consume"),
      count: v.number(),
      config: vGivenRefillingConfig().pick(
        "kind",
        "rate",
        "period",
        "capacity",
        "maxReserved",
        "shards",
        "applyUpdates",
        "start",
      ),
      ts: v.number(),
    }),
    vLimitKey().extend({ kind: v.literal("reset") }),
  );

/**
 * Applies at once what `@convex-dev/rate-limiter` queues for `applyUpdates: "asynchronously"`: a
 * `consume` charges, a `reset` resets.
 */
export const enqueueUpdates = mutation({
  args: lazily(() => v.object({ updates: v.array(vUpdate()) })),
  returns: lazily(() => v.null()),
  handler: async (ctx, { updates }) => {
    for (const update of updates) {
      if (update.kind === "reset") {
        await resetKey(ctx, update);
      } else if (update.count !== 0) {
        const { opened, count } = await openToAdjust(ctx, update);
        await chargeTokens(ctx, opened, count);
      }
    }
    return null;
  },
});
