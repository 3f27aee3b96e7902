import { RateLimiter } from "convex-rate-limiter";
import { components, internal } from "./_generated/api";

export const rateLimiter = new RateLimiter(
  components.rateLimiter,
  {},
  {
    // At 80%, in the transaction that reaches it.
    onWarning: async (ctx, { key, remaining }) => {
      await ctx.runMutation(internal.mails.send, { key, remaining });
    },
  },
);
