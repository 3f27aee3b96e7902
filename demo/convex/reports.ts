import { rateLimited } from "convex-rate-limiter/helpers";
import { customMutation } from "convex-helpers/server/customFunctions";
import { v } from "convex/values";
import { mutation } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";
import { requireSession } from "./session.js";

/** A mutation that takes a token first, and throws `RateLimited` if there is none. */
const limitedMutation = customMutation(
  mutation,
  rateLimited(rateLimiter, "report", {
    args: { session: v.string() },
    key: (_ctx, { session }) => requireSession(session),
  }),
);

/** What this session has sent, as text. The handler need not know of the limit. */
export const exportMessages = limitedMutation({
  args: {},
  returns: v.string(),
  handler: async (ctx, { session }) => {
    const messages = await ctx.db
      .query("messages")
      .withIndex("session", (q) => q.eq("session", session))
      .take(1000);
    return messages.map(({ text }) => text).join("\n");
  },
});
