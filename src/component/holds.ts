import { v, type Infer } from "convex/values";
import { requireAbove0, requireAtLeast0 } from "../core/config.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import { mutation, type MutationCtx } from "./_generated/server.js";
import { giveBack, takeAnyway } from "./amounts.js";
import { open } from "./open.js";
import { answerOne, vDenied, vRequest } from "./request.js";

/** A hold that says no other time can be settled for a day. */
const DAY = 24 * 60 * 60 * 1000;

/** Convex's scheduler refuses what is later. */
const MAX_WAIT = 5 * 365 * DAY;

const vHoldAnswer = v.union(
  v.object({
    ok: v.literal(true),
    id: v.string(),
    retryAfter: v.optional(v.number()),
    wouldDeny: v.optional(v.literal(true)),
  }),
  vDenied,
);

/**
 * Takes tokens as `rateLimit` does, and remembers it, so that it can be settled once.
 * Writes what `rateLimit` would, and one row.
 */
export const hold = mutation({
  args: {
    ...vRequest.fields,
    throws: v.optional(v.boolean()),
    /** How long it can be settled, in ms from when what it took is there. */
    expiresAfter: v.optional(v.number()),
  },
  returns: vHoldAnswer,
  handler: async (
    ctx,
    { expiresAfter = DAY, throws, ...request },
  ): Promise<Infer<typeof vHoldAnswer>> => {
    const { name, key, config } = request;
    requireAbove0(name, "expiresAfter", expiresAfter);
    const now = Date.now();
    const asked = { ...request, throws };
    const { answer, taken: all, save } = await answerOne(ctx, asked, now);
    if (!answer.ok) return answer;
    const { retryAfter = 0 } = answer;
    if (retryAfter > MAX_WAIT) {
      throw new Error(
        `Rate limit ${name}: what is reserved is there in ${retryAfter} ms only, later than five years.`,
      );
    }
    await save(ctx);
    const taken = all[0]!;
    const isExempt = taken === 0 && request.count !== 0;
    const id = await ctx.db.insert("holds", {
      name,
      key,
      config,
      taken: isExempt ? undefined : taken,
      expiresAt: now + retryAfter + expiresAfter,
    });
    return { ...answer, id };
  },
});

/**
 * Replaces what a hold took by what was used, once: the difference is given back or taken.
 * What took nothing, of an unlimited key or in a dry run, moves nothing.
 *
 * @returns `settled: false`, with nothing changed, if it was settled before or has expired.
 */
export const settle = mutation({
  args: { id: v.string(), count: v.number() },
  returns: v.object({ settled: v.boolean() }),
  handler: async (ctx, { id, count }) => {
    return end(ctx, await ctx.db.get("holds", toId(ctx, id)), count);
  },
});

/** Says which scheduled function a hold is for. Writes one row. */
export const attach = mutation({
  args: { id: v.string(), scheduledId: v.string() },
  returns: v.null(),
  handler: async (ctx, { id, scheduledId }) => {
    await ctx.db.patch("holds", toId(ctx, id), { scheduledId });
    return null;
  },
});

/** Gives back what the hold of a scheduled function took, as `settle` with 0. */
export const releaseScheduled = mutation({
  args: { scheduledId: v.string() },
  returns: v.object({ settled: v.boolean() }),
  handler: async (ctx, { scheduledId }) => {
    const hold = await ctx.db
      .query("holds")
      .withIndex("scheduledId", (q) => q.eq("scheduledId", scheduledId))
      .unique();
    return end(ctx, hold, 0);
  },
});

async function end(
  ctx: MutationCtx,
  hold: Doc<"holds"> | null,
  used: number,
): Promise<{ settled: boolean }> {
  const now = Date.now();
  if (hold === null || hold.expiresAt <= now) return { settled: false };
  requireAtLeast0(hold.name, "count", used);
  await ctx.db.delete("holds", hold._id);
  if (hold.taken === undefined || hold.taken === used) return { settled: true };
  const account = await open(ctx, hold, now);
  const unused = hold.taken - used;
  if (unused > 0) await giveBack(account, unused, Math.random);
  else await takeAnyway(account, -unused, Math.random);
  await account.ledger.save(ctx);
  return { settled: true };
}

function toId(ctx: MutationCtx, id: string): Id<"holds"> {
  const holdId = ctx.db.normalizeId("holds", id);
  if (holdId === null) throw new Error(`${id} is not the id of a hold.`);
  return holdId;
}
