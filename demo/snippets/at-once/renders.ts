import { ConvexError, v } from "convex/values";
import { action } from "./_generated/server";
import { rateLimiter } from "./rateLimiter";

export const render = action({
  args: { url: v.string() },
  handler: async (ctx, { url }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");

    // Renewed while the work runs, released when it ends or fails.
    return rateLimiter.whileHolding(
      ctx,
      "render",
      { key: user.tokenIdentifier },
      async () => (await fetch(url)).text(),
    );
  },
});
