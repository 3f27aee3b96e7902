import { v, type Infer } from "convex/values";
import { mutation, type QueryCtx } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";

/** What the page shows of the limit that all sign-ups share. It takes no key. */
export const { getRateLimit: getSignUpLimit } = rateLimiter.hookAPI("signUp");

/**
 * A global limit. Nothing else happens if it denies, so it may throw. If the name is
 * taken the mutation throws too, and gives the token back with everything else.
 */
export const signUp = mutation({
  args: { name: v.string(), pin: v.string() },
  returns: v.null(),
  handler: async (ctx, { name, pin }) => {
    await rateLimiter.limit(ctx, "signUp", { throws: true });
    if ((await findUser(ctx, name)) !== null) {
      throw new Error(`The name ${name} is taken.`);
    }
    // A real app stores a hash.
    await ctx.db.insert("users", { name, pin });
    return null;
  },
});

const vLogIn = v.union(
  v.object({ ok: v.literal(true) }),
  v.object({ ok: v.literal(false), reason: v.literal("wrong name or pin") }),
  v.object({
    ok: v.literal(false),
    reason: v.literal("too many attempts"),
    retryAfter: v.number(),
  }),
);

/**
 * Failed logins that count. Consumption is part of the mutation: if it threw on a wrong
 * PIN, the failure that it has just counted would be rolled back, and an attacker could
 * guess for ever. So it returns the failure.
 *
 * The limit is per account, not per browser: the attacker chooses the browser.
 */
export const logIn = mutation({
  args: { name: v.string(), pin: v.string() },
  returns: vLogIn,
  handler: async (ctx, { name, pin }): Promise<Infer<typeof vLogIn>> => {
    const key = name.slice(0, 100);
    const status = await rateLimiter.check(ctx, "failedLogins", { key });
    if (!status.ok) {
      const { retryAfter } = status;
      return {
        ok: false,
        reason: "too many attempts",
        retryAfter,
      };
    }
    const user = await findUser(ctx, name);
    if (user === null || user.pin !== pin) {
      await rateLimiter.limit(ctx, "failedLogins", { key });
      return { ok: false, reason: "wrong name or pin" };
    }
    await rateLimiter.reset(ctx, "failedLogins", { key });
    return { ok: true };
  },
});

function findUser(ctx: QueryCtx, name: string) {
  return ctx.db
    .query("users")
    .withIndex("name", (q) => q.eq("name", name))
    .unique();
}
