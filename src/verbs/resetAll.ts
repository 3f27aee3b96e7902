import { v } from "convex/values";
import { mutation } from "../component/_generated/server.js";
import { documentsWritten } from "../state/stale.js";
import { startSweep } from "./sweeps.js";

/** Resets each key of a limit, as `reset` does. Overrides stay. */
export const resetAll = mutation({
  args: { name: v.string() },
  returns: v.object({ isDone: v.boolean() }),
  handler: async (ctx, { name }) => {
    const hasWritten = (await documentsWritten(ctx)) > 0;
    return { isDone: await startSweep(ctx, "reset", name, hasWritten) };
  },
});
