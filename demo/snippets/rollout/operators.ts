import { v } from "convex/values";
import { internalMutation } from "./_generated/server";
import { rateLimiter } from "./rateLimiter";

// npx convex run operators:enforce '{ "share": 0.1 }'
export const enforce = internalMutation({
  args: { share: v.number(), startsAt: v.optional(v.number()) },
  handler: async (ctx, { share, startsAt }) => {
    await rateLimiter.setOverride(ctx, "comment", {
      // The same users as before, and more.
      config: { enforce: share },
      startsAt,
    });
  },
});
