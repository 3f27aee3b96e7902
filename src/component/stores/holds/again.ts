import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { leasedAt, storedLeases, type Lease } from "./stored.js";

/* Holds that go on: a lease that is renewed, a hold that is asked for again. */

/** The holds of a limit and key with this `once` that have not expired, the oldest first. */
export function storedOnce(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
  once: string,
  now: number,
): Promise<Doc<"holds">[]> {
  return ctx.db
    .query("holds")
    .withIndex("once", (q) =>
      q.eq("name", name).eq("key", key).eq("once", once).gt("expiresAt", now),
    )
    .collect();
}

/**
 * Whether a lease has not ended. By a clock ahead of ours it may have ended, and another lease may
 * hold its tokens.
 */
export async function isRunning(
  ctx: QueryCtx,
  { name, key, expiresAt }: Lease,
  now: number,
): Promise<boolean> {
  const others = await storedLeases(ctx, name, key, now);
  return expiresAt > Math.max(now, ...others.map(leasedAt));
}

/** Gives a lease that has not ended its full length from now. */
export async function renewLease(
  ctx: MutationCtx,
  { _id, expiresAt, config }: Lease,
  now: number,
): Promise<void> {
  const renewedUntil = Math.max(expiresAt, now + config.lease);
  await ctx.db.patch("holds", _id, { expiresAt: renewedUntil });
}
