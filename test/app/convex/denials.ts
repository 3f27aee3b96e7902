import type {
  MutationCtx,
  RateLimitDenial,
  RateLimitWarning,
} from "convex-rate-limiter";
import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, query } from "./_generated/server.js";

/** For `onDenied`. */
export async function recordDenial(
  ctx: MutationCtx,
  { name, key }: RateLimitDenial,
): Promise<void> {
  await ctx.runMutation(internal.denials.insert, { name: `${name}/${key}` });
}

/** For `onWarning`. */
export async function recordWarning(
  ctx: MutationCtx,
  { name, key, share }: RateLimitWarning,
): Promise<void> {
  const warned = `${name}/${key} at ${share}`;
  await ctx.runMutation(internal.denials.insert, { name: warned });
}

export const insert = internalMutation({
  args: { name: v.string() },
  returns: v.null(),
  handler: async (ctx, { name }) => {
    await ctx.db.insert("denials", { name });
    return null;
  },
});

/** How often a limit has denied a key, or warned of it, up to ten times. */
export const count = query({
  args: { name: v.string() },
  returns: v.number(),
  handler: async (ctx, { name }) => {
    const denials = await ctx.db
      .query("denials")
      .withIndex("name", (q) => q.eq("name", name))
      .take(10);
    return denials.length;
  },
});
