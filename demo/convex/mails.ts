import type { MutationCtx, RateLimitWarning } from "convex-rate-limiter";
import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation } from "./_generated/server.js";

/** For `onWarning`: what is written is lost if the caller's mutation throws. */
export async function mailWarning(
  ctx: MutationCtx,
  { key, remaining }: RateLimitWarning,
): Promise<void> {
  if (key === undefined) return;
  await ctx.runMutation(internal.mails.send, { key, remaining });
}

/** A stand-in: a real app has an action ask its mail service, once this is committed. */
export const send = internalMutation({
  args: { key: v.string(), remaining: v.number() },
  returns: v.null(),
  handler: async (ctx, mail) => {
    await ctx.db.insert("mails", mail);
    return null;
  },
});
