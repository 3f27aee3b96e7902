import { v, type Infer } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";
import { requireSession } from "./session.js";

const vUser = v.union(v.literal("Ada"), v.literal("Grace"));

/** What each operation costs its organisation and its user. */
const COSTS = { read: 1, upload: 5 };
const vOperation = v.union(v.literal("read"), v.literal("upload"));

const vPerformed = v.union(
  v.object({ ok: v.literal(true) }),
  v.object({
    ok: v.literal(false),
    blockedBy: v.string(),
    retryAfter: v.number(),
  }),
);

/**
 * Organisation, user and operation, all or none: a user with tokens left is denied when
 * the organisation has none, and `blockedBy` says so.
 */
export const perform = mutation({
  args: { session: v.string(), user: vUser, operation: vOperation },
  returns: vPerformed,
  handler: async (
    ctx,
    { session, user, operation },
  ): Promise<Infer<typeof vPerformed>> => {
    const organisation = requireSession(session);
    const member = `${organisation}/${user}`;
    const count = COSTS[operation];
    const status = await rateLimiter.limitAll(ctx, [
      { name: "organisation", key: organisation, count },
      { name: "user", key: member, count },
      { name: operation, key: member, count },
    ]);
    if (status.ok) return { ok: true };
    const { blockedBy, retryAfter } = status;
    return { ok: false, blockedBy: blockedBy.name, retryAfter };
  },
});

const vState = v.object({
  value: v.number(),
  ts: v.number(),
  rate: v.number(),
  period: v.number(),
  capacity: v.number(),
});

/** The state of every limit that an operation of this user takes from. */
export const states = query({
  args: { session: v.string(), user: vUser },
  returns: v.record(v.string(), vState),
  handler: async (ctx, { session, user }) => {
    const organisation = requireSession(session);
    const member = `${organisation}/${user}`;
    const read = async (
      name: "organisation" | "user" | "read" | "upload",
      key: string,
    ) => {
      const { value, ts, config } = await rateLimiter.getValue(ctx, name, {
        key,
      });
      const { rate, period, capacity = rate } = config;
      return { value, ts, rate, period, capacity };
    };
    return {
      organisation: await read("organisation", organisation),
      user: await read("user", member),
      read: await read("read", member),
      upload: await read("upload", member),
    };
  },
});
