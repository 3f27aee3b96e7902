import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import {
  internalMutation,
  internalQuery,
  type QueryCtx,
} from "./_generated/server.js";
import { appError } from "./errors.js";
import { rateLimiter } from "./rateLimiter.js";
import { accountIdOf, findAccount } from "./users.js";

/*
 * For operators, and so internal: no browser can call any of these. Run them in the dashboard, or:
 * npx convex run operators:ban '{ "name": "ada" }'
 */

/** No messages for ten minutes; the next time for an hour, then for a day. */
export const ban = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    rateLimiter.penalize(ctx, "sendMessage", {
      key: await userIdOf(ctx, name),
      bans: [10 * MINUTE, HOUR, DAY],
      forgetAfter: 30 * DAY,
    }),
});

/** Ten times as many messages, for a day. */
export const raise = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    rateLimiter.setOverride(ctx, "sendMessage", {
      key: await userIdOf(ctx, name),
      config: { rate: 100, capacity: 30 },
      expiresAt: Date.now() + DAY,
      note: "Raised for a day.",
    }),
});

/** The same limit as everyone again. */
export const clear = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    rateLimiter.clearOverride(ctx, "sendMessage", {
      key: await userIdOf(ctx, name),
    }),
});

/** Lets a user who is locked out try to log in again. */
export const unlock = internalMutation({
  args: { name: v.string() },
  handler: async (ctx, { name }) =>
    rateLimiter.reset(ctx, "failedLogins", { key: accountIdOf(name) }),
});

/** The users with the fewest messages left first. */
export const busiest = internalQuery({
  args: { paginationOpts: paginationOptsValidator },
  handler: async (ctx, { paginationOpts }) =>
    rateLimiter.list(ctx, {
      name: "sendMessage",
      order: "depleted",
      paginationOpts,
    }),
});

/** How many messages were sent and denied, hour by hour, since this time yesterday. */
export const figures = internalQuery({
  args: {},
  handler: async (ctx) => {
    const to = Date.now();
    return rateLimiter.stats(ctx, "sendMessage", {
      from: to - DAY,
      to,
      by: "hour",
    });
  },
});

async function userIdOf(ctx: QueryCtx, name: string) {
  const account = await findAccount(ctx, accountIdOf(name));
  if (account !== null) return account.userId;
  throw appError({ kind: "BadInput", message: `There is no user ${name}.` });
}
