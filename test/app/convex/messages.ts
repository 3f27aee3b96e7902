import { v } from "convex/values";
import type { DataModel } from "./_generated/dataModel.js";
import { mutation } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";

/** What `useRateLimit` reads, of a limit with keys. */
export const { getRateLimit, getServerTime } = rateLimiter.hookAPI<DataModel>(
  "sendMessage",
  { key: (_ctx, sender) => requireSender(sender) },
);

/** The same, of a limit that all share. */
export const { getRateLimit: getSignUpLimit } = rateLimiter.hookAPI("signUp");

/** Denied, it throws. */
export const send = mutation({
  args: { sender: v.string() },
  returns: v.null(),
  handler: async (ctx, { sender }) => {
    const key = requireSender(sender);
    await rateLimiter.limit(ctx, "sendMessage", { key, throws: true });
    return null;
  },
});

/** Denied, it returns. */
export const trySend = mutation({
  args: { sender: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { sender }) => {
    const key = requireSender(sender);
    const { ok } = await rateLimiter.limit(ctx, "sendMessage", { key });
    return ok;
  },
});

function requireSender(sender: string | undefined): string {
  if (sender === undefined || !/^[\w-]{1,64}$/.test(sender)) {
    throw new Error("A sender is 1 to 64 letters, digits, - or _.");
  }
  return sender;
}
