import { ConvexError } from "convex/values";
import { mutation } from "./_generated/server";
import { rateLimiter } from "./rateLimiter";

export const take = mutation({
  args: {},
  handler: async (ctx) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");

    return rateLimiter.limit(ctx, "exports", {
      key: user.tokenIdentifier,
      count: 20,
      // The last twenty are for paying users.
      leave: user.plan === "paying" ? 0 : 20,
      config: {
        kind: "fixed window",
        rate: 100,
        period: "month",
        timeZone: user.timezone,
        warnAt: 0.8,
      },
    });
  },
});
