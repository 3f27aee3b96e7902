import { v } from "convex/values";
import { vConcurrency } from "../core/vConfig.js";
import { vPlace } from "../core/vPlace.js";
import { vHeldValue } from "../core/vValue.js";
import { mutation, query } from "./_generated/server.js";
import { findHold, storeHold, vHold } from "./calls/hold.js";
import { answerOne } from "./calls/request.js";
import { serveOne } from "./calls/serve.js";
import { vAccount, vAnswer, vHeld, vOne } from "./calls/signatures.js";
import { readValue } from "./calls/value.js";
import { makeFull } from "./ledgers/ledger.js";
import {
  isLease,
  leasedAt,
  Leases,
  leasesOf,
  storedLeases,
} from "./ledgers/leases.js";

/* The verbs for limits on what runs at once. `holds.settle` releases what they hold. */

/** Holds tokens until they are released or their lease ends, or denies. */
export const hold = mutation({
  get args() {
    return { ...vHold().fields, config: vConcurrency() };
  },
  get returns() {
    return vHeld();
  },
  handler: async (ctx, { isInline, ...request }) => {
    const now = Date.now();
    const served = await serveOne(ctx, leasesOf, request, now);
    const expiresAt = now + request.config.lease;
    return storeHold(ctx, { ...request, isInline }, served, expiresAt);
  },
});

/** Gives a hold a full lease from now, unless it was released or its lease has ended. */
export const renew = mutation({
  get args() {
    return { id: v.string() };
  },
  get returns() {
    return v.object({ renewed: v.boolean() });
  },
  handler: async (ctx, { id }) => {
    const hold = await findHold(ctx, id);
    if (hold === null) return { renewed: false };
    const { name, key, expiresAt } = hold;
    if (!isLease(hold)) {
      throw new Error(
        `Rate limit ${name}: only what is held of kind "concurrency" has a lease to renew.`,
      );
    }
    const now = Date.now();
    // Whoever came when this lease had ended, by a clock ahead of ours, may have its place.
    const others = await storedLeases(ctx, name, key, now);
    const latest = Math.max(now, ...others.map(leasedAt));
    if (expiresAt <= latest) return { renewed: false };
    const renewedUntil = Math.max(expiresAt, now + hold.config.lease);
    await ctx.db.patch("holds", hold._id, { expiresAt: renewedUntil });
    return { renewed: true };
  },
});

/** What `hold` would say. */
export const checkRateLimit = query({
  get args() {
    return { ...vOne().fields, config: vConcurrency() };
  },
  get returns() {
    return vAnswer();
  },
  handler: (ctx, args) => answerOne(ctx, leasesOf, args, Date.now()),
});

/** What is free now, and when leases end. */
export const getValue = query({
  get args() {
    return { ...vAccount().fields, config: vConcurrency() };
  },
  get returns() {
    return vHeldValue();
  },
  handler: (ctx, args) => readValue(ctx, leasesOf, args, Date.now()),
});

/** Ends all holds of a key. */
export const resetRateLimit = mutation({
  get args() {
    return vPlace().fields;
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, { name, key }) => {
    await makeFull(ctx, new Leases(ctx, name, key, Date.now()));
    return null;
  },
});
