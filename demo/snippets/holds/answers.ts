import { ConvexError, v } from "convex/values";
import { action } from "./_generated/server";
import { callModel } from "./model"; // Yours.
import { rateLimiter } from "./rateLimiter";

export const ask = action({
  args: { question: v.string() },
  handler: async (ctx, { question }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    const key = user.tokenIdentifier;

    // A place: renewed while this runs, released at the end.
    return rateLimiter.whileHolding(
      ctx,
      "writing",
      { key },
      async () => {
        // The most that the answer may cost.
        const held = await rateLimiter.hold(ctx, "answers", {
          key,
          count: 300,
        });
        if (!held.ok) return "Too few tokens are left today.";

        let count = 0;
        try {
          const answer = await callModel(question);
          count = answer.tokens;
          return answer.text;
        } finally {
          // What it did not cost comes back.
          await rateLimiter.settle(ctx, held.id, { count });
        }
      },
    );
  },
});
