import { v, type Infer } from "convex/values";
import type { StoredConfig } from "../core/config.js";
import { reject, requireAbove0 } from "../core/reject.js";
import {
  vConcurrency,
  vNamedLimits,
  vStoredConfig,
  type NamedLimits,
} from "../core/vConfig.js";
import { vHeldValue } from "../core/vValue.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import { mutation, query, type MutationCtx } from "./_generated/server.js";
import { giveBack, takeAnyway } from "./calls/amounts.js";
import { isLease, leasedAt, Leases, leasesOf } from "./ledgers/leases.js";
import { open, vAccount } from "./calls/open.js";
import {
  answerOne,
  answerOptions,
  vAnswer,
  vDenied,
  vRequest,
  vSingleRequest,
} from "./calls/request.js";
import { serveOne } from "./calls/serve.js";
import { readValue } from "./calls/value.js";

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

const vSettled = v.object({ settled: v.boolean() });

/**
 * Takes tokens as `rateLimit` does, and remembers it, so that it can be settled once.
 * Writes what `rateLimit` would, and one row.
 *
 * Of a limit on what runs at once it reads all holds of the key that have not ended, and
 * writes that row only.
 */
export const hold = mutation({
  args: {
    ...vRequest.fields,
    config: vStoredConfig,
    /** Whether the config is the call's own, and not that of a limit that the app names. */
    isInline: v.optional(v.boolean()),
    throws: v.optional(v.boolean()),
    /** How long it can be settled, in ms from when what it took is there. */
    expiresAfter: v.optional(v.number()),
  },
  returns: vHoldAnswer,
  handler: async (
    ctx,
    { expiresAfter, isInline, throws, ...request },
  ): Promise<Infer<typeof vHoldAnswer>> => {
    const { name, key, config, count } = request;
    if (expiresAfter !== undefined) {
      if (config.kind === "concurrency") {
        reject(
          name,
          "expiresAfter",
          "absent, for it has a lease",
          expiresAfter,
        );
      }
      requireAbove0(name, "expiresAfter", expiresAfter);
    }
    const now = Date.now();
    const asked = { ...request, throws };
    const { answer, taken: all } = await serveOne(ctx, asked, now);
    if (!answer.ok) return answer;
    const { retryAfter = 0 } = answer;
    if (retryAfter > MAX_WAIT) {
      throw new Error(
        `Rate limit ${name}: what is reserved is there in ${retryAfter} ms only, later than five years.`,
      );
    }
    const taken = all[0]!;
    const isExempt = taken === 0 && count !== 0;
    const id = await ctx.db.insert("holds", {
      name,
      key,
      config,
      ...(isInline && { isInline }),
      taken: isExempt ? undefined : taken,
      expiresAt:
        config.kind === "concurrency"
          ? now + config.lease
          : now + retryAfter + (expiresAfter ?? DAY),
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
  args: { id: v.string(), count: v.number(), limits: v.optional(vNamedLimits) },
  returns: vSettled,
  handler: async (ctx, { id, count, limits }) => {
    if (!Number.isFinite(count) || count < 0) {
      throw new Error(
        `settle: count must be a finite number of at least 0, but is ${count}.`,
      );
    }
    return end(ctx, await ctx.db.get("holds", toId(ctx, id)), count, limits);
  },
});

/**
 * Gives a hold of a limit on what runs at once a full lease from now. Reads all holds of the
 * key that have not ended, and writes its own.
 *
 * @returns `renewed: false`, with nothing changed, if it was released or its lease has ended.
 */
export const renew = mutation({
  args: { id: v.string() },
  returns: v.object({ renewed: v.boolean() }),
  handler: async (ctx, { id }) => {
    const hold = await ctx.db.get("holds", toId(ctx, id));
    if (hold === null) return { renewed: false };
    const { name, key, expiresAt } = hold;
    if (!isLease(hold)) {
      throw new Error(
        `Rate limit ${name}: only what is held of kind "concurrency" has a lease to renew.`,
      );
    }
    const now = Date.now();
    // Whoever came when this lease had ended, by a clock ahead of ours, may have its place.
    const others = await leasesOf(ctx, name, key, now);
    const latest = Math.max(now, ...others.map(leasedAt));
    if (expiresAt <= latest) return { renewed: false };
    const renewedUntil = Math.max(expiresAt, now + hold.config.lease);
    await ctx.db.patch("holds", hold._id, { expiresAt: renewedUntil });
    return { renewed: true };
  },
});

/**
 * What `hold` would say of a limit on what runs at once. Reads all holds of the key that have
 * not ended.
 */
export const check = query({
  args: { ...vSingleRequest.fields, config: vConcurrency, ...answerOptions },
  returns: vAnswer,
  handler: async (ctx, args) => (await answerOne(ctx, args, Date.now())).answer,
});

/** `getValue` of a limit on what runs at once. Reads all holds of the key that have not ended. */
export const getValue = query({
  args: { ...vAccount.fields, config: vConcurrency },
  returns: vHeldValue,
  handler: (ctx, args) => readValue(ctx, args, Date.now(), Math.random),
});

/** Ends all holds of a key of a limit on what runs at once. Reads and deletes each of them. */
export const releaseAll = mutation({
  args: { name: v.string(), key: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { name, key }) => {
    const ledger = new Leases(ctx, name, key, Date.now());
    await ledger.reset();
    await ledger.save(ctx);
    return null;
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

/** Gives back what the hold of a scheduled function took, as `settle` with 0, if it has one. */
export const releaseScheduled = mutation({
  args: { scheduledId: v.string(), limits: v.optional(vNamedLimits) },
  returns: v.object({ found: v.boolean() }),
  handler: async (ctx, { scheduledId, limits }) => {
    const hold = await ctx.db
      .query("holds")
      .withIndex("scheduledId", (q) => q.eq("scheduledId", scheduledId))
      .unique();
    await end(ctx, hold, 0, limits);
    return { found: hold !== null };
  },
});

async function end(
  ctx: MutationCtx,
  hold: Doc<"holds"> | null,
  used: number,
  limits: NamedLimits | undefined,
): Promise<{ settled: boolean }> {
  const now = Date.now();
  if (hold === null || hold.expiresAt <= now) return { settled: false };
  const { _id, name, key, taken } = hold;
  if (isLease(hold) && used !== 0 && used !== taken) {
    throw new Error(
      `Rate limit ${name}: its kind is "concurrency", so what is held is released, and not settled with a count of ${used}.`,
    );
  }
  await ctx.db.delete("holds", _id);
  // The end of a lease gives everything back by itself.
  if (isLease(hold) || taken === undefined || taken === used) {
    return { settled: true };
  }
  const config = configNow(hold, limits);
  const account = await open(ctx, { name, key, config }, now);
  const unused = taken - used;
  if (unused > 0) await giveBack(account, unused, Math.random);
  else await takeAnyway(account, -unused, Math.random);
  await account.ledger.save(ctx);
  return { settled: true };
}

/**
 * By what a hold is settled: its limit may have another config by now, even another mode, than
 * when it was taken.
 */
function configNow(
  { name, config, isInline }: Doc<"holds">,
  limits: NamedLimits = [],
): StoredConfig {
  if (isInline) return config;
  const now = limits.find((limit) => limit.name === name)?.config ?? config;
  return now.kind === "concurrency" ? config : now;
}

function toId(ctx: MutationCtx, id: string): Id<"holds"> {
  const holdId = ctx.db.normalizeId("holds", id);
  if (holdId === null) throw new Error(`${id} is not the id of a hold.`);
  return holdId;
}
