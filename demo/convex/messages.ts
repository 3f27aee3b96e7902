import { v } from "convex/values";
import type { DataModel } from "./_generated/dataModel.js";
import { mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";
import { requireSession } from "./session.js";

/** What `useRateLimit` reads. The key is checked here, on the server. */
export const { getRateLimit, getServerTime } = rateLimiter.hookAPI<DataModel>(
  "sendMessage",
  { key: (_ctx, session) => requireSession(session) },
);

/** A limit per user. Denied, it throws what `isRateLimitError` recognises. */
export const send = mutation({
  args: { session: v.string(), text: v.string() },
  returns: v.null(),
  handler: async (ctx, { session, text }) => {
    const key = requireSession(session);
    await rateLimiter.limit(ctx, "sendMessage", { key, throws: true });
    await ctx.db.insert("messages", { session, text: text.slice(0, 200) });
    return null;
  },
});

/** The newest five. */
export const list = query({
  args: { session: v.string() },
  returns: v.array(v.object({ id: v.id("messages"), text: v.string() })),
  handler: async (ctx, { session }) => {
    const messages = await ctx.db
      .query("messages")
      .withIndex("session", (q) => q.eq("session", session))
      .order("desc")
      .take(5);
    return messages.map(({ _id, text }) => ({ id: _id, text }));
  },
});

const USERS = { Ada: 1, Grace: 2, Katherine: 3, Hedy: 5 };

/** A few made-up users for each session, who each try to send some messages. */
export const simulateUsers = mutation({
  args: { session: v.string() },
  returns: v.object({ granted: v.number(), denied: v.number() }),
  handler: async (ctx, args) => {
    const session = requireSession(args.session);
    const counts = { granted: 0, denied: 0 };
    for (const [user, tries] of Object.entries(USERS)) {
      const key = `${session}/${user}`;
      for (let i = 0; i < tries; i++) {
        const { ok } = await rateLimiter.limit(ctx, "sendMessage", { key });
        counts[ok ? "granted" : "denied"]++;
      }
    }
    return counts;
  },
});
