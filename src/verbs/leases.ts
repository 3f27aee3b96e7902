import { v } from "convex/values";
import { toHoldId } from "../core/holdId.js";
import { vLimitKey } from "../core/validators.js";
import { query } from "../component/_generated/server.js";
import { storedLeases } from "../state/holds/leases.js";

/** The most leases to list. */
const MAX_LEASES = 100;

const vLease = v.object({
  /** The id to release it with. */
  id: v.string(),
  /** The tokens that it holds; 0 for an unlimited key, or in a dry run. */
  count: v.number(),
  /** When it was taken, in ms. */
  since: v.number(),
  /** When it ends unless it is renewed, in ms. */
  endsAt: v.number(),
});

/**
 * The leases of a concurrency limit key that have not ended, the first to end first, 100 at most.
 * Reads all of them, as calls do.
 */
export const leases = query({
  args: vLimitKey().fields,
  returns: v.object({ leases: v.array(vLease), isMore: v.boolean() }),
  handler: async (ctx, limitKey) => {
    const all = await storedLeases(ctx, limitKey, Date.now());
    const leases = all.slice(0, MAX_LEASES).map((lease) => ({
      id: toHoldId(lease._id, limitKey.name),
      count: lease.taken ?? 0,
      since: lease._creationTime,
      endsAt: lease.expiresAt,
    }));
    return { leases, isMore: all.length > MAX_LEASES };
  },
});
