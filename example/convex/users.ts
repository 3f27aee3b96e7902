import { getAuthUserId } from "@convex-dev/auth/server";
import { v } from "convex/values";
import type { Doc, Id } from "./_generated/dataModel.js";
import { internalQuery, query, type QueryCtx } from "./_generated/server.js";
import { appError } from "./errors.js";

/**
 * The id of the caller, from the token that Convex has verified: the key of every limit per user.
 *
 * Not `identity.tokenIdentifier`: Convex Auth puts the session into that, so signing in again would
 * give the user a new bucket.
 */
export async function requireUserId(
  ctx: Pick<QueryCtx, "auth">,
): Promise<Id<"users">> {
  const userId = await getAuthUserId(ctx);
  if (userId === null) throw appError({ kind: "SignedOut" });
  return userId;
}

/** The user who is calling. */
export async function requireUser(ctx: QueryCtx): Promise<Doc<"users">> {
  const user = await ctx.db.get("users", await requireUserId(ctx));
  if (user === null) throw appError({ kind: "SignedOut" });
  return user;
}

/** The name of the provider that signs in by name and password. */
export const PROVIDER = "password";

/** One account for all spellings of a name. */
export const accountIdOf = (name: string) => name.toLowerCase();

/** The account of that id, or `null`. */
export const findAccount = (ctx: QueryCtx, id: string) =>
  ctx.db
    .query("authAccounts")
    .withIndex("providerAndAccountId", (q) =>
      q.eq("provider", PROVIDER).eq("providerAccountId", id),
    )
    .unique();

export const isTaken = internalQuery({
  args: { id: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { id }) => (await findAccount(ctx, id)) !== null,
});

/** The name of the user who is calling, or `null`. */
export const me = query({
  args: {},
  returns: v.union(v.null(), v.string()),
  handler: async (ctx) => {
    const userId = await getAuthUserId(ctx);
    const user = userId === null ? null : await ctx.db.get("users", userId);
    return user?.name ?? null;
  },
});
