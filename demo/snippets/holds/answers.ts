import { v } from "convex/values";
import { action } from "./_generated/server";
import { callModel } from "./model"; // Yours.
import { rateLimiter } from "./rateLimiter";
import { requireUserId } from "./users";

export const ask = action({
  args: { question: v.string() },
  handler: async (ctx, { question }) => {
    const key = await requireUserId(ctx);

    // A place, and the most that the answer may cost: both or none.
    return rateLimiter.whileHoldingAll(
      ctx,
      [
        { name: "writing", key },
        { name: "answers", key, count: 300 },
      ],
      async ({ ids: [, tokens] }) => {
        const answer = await callModel(question);
        // What it did not cost comes back.
        await rateLimiter.settle(ctx, tokens, {
          count: answer.tokens,
        });
        return answer.text;
      },
    );
  },
});
