import { v } from "convex/values";
import type { DataModel } from "./_generated/dataModel.js";
import { internalQuery, mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";
import { type Done, vDone } from "./done.js";
import { requireText } from "./errors.js";
import { requireUser, requireUserId } from "./users.js";

/** What `useRateLimit` reads. The server chooses the key, not the browser. */
export const { getRateLimit, getServerTime } = rateLimiter.hookAPI<DataModel>(
  "sendMessage",
  { key: (ctx) => requireUserId(ctx) },
);

/** Takes a token and sends. A denial is returned: if it threw, `stats` would not count it. */
export const send = mutation({
  args: { text: v.string() },
  returns: vDone,
  handler: async (ctx, args): Promise<Done> => {
    const { _id, name = "" } = await requireUser(ctx);
    const text = requireText(args.text, 500);
    const status = await rateLimiter.limit(ctx, "sendMessage", { key: _id });
    if (!status.ok) return { ok: false, retryAfter: status.retryAfter };
    await ctx.db.insert("messages", { author: _id, name, text });
    return { ok: true };
  },
});

const vMessage = v.object({
  id: v.id("messages"),
  name: v.string(),
  text: v.string(),
  sentAt: v.number(),
  isMine: v.boolean(),
});

/** The newest fifty, the oldest of them first. */
export const list = query({
  args: {},
  returns: v.array(vMessage),
  handler: async (ctx) => {
    const userId = await requireUserId(ctx);
    const messages = await ctx.db.query("messages").order("desc").take(50);
    return messages
      .reverse()
      .map(({ _id, _creationTime, author, name, text }) => ({
        id: _id,
        name,
        text,
        sentAt: _creationTime,
        isMine: author === userId,
      }));
  },
});

/** How many there are, up to a hundred. */
export const count = internalQuery({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    const messages = await ctx.db.query("messages").take(100);
    return messages.length;
  },
});
