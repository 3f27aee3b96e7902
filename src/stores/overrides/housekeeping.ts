import { idleBefore } from "../../core/rows.js";
import type { ListedOverride } from "../../core/validators.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import type { MutationCtx } from "../../component/_generated/server.js";
import { deleteSome } from "../budget.js";
import { END_CURSOR } from "../pages.js";
import { overridesIn, toListed } from "./stored.js";

/**
 * Deletes the overrides of a key in all limits; its bans only if `bans` is true. Reads at most
 * three rows for each limit, so one transaction is enough.
 *
 * @returns The bans that stay.
 */
export async function forgetOverrides(
  ctx: MutationCtx,
  key: string,
  { bans, now }: { bans: boolean; now: number },
): Promise<ListedOverride[]> {
  const ofKey = await ctx.db
    .query("overrides")
    .withIndex("key", (q) => q.eq("key", key))
    .collect();
  const kept: ListedOverride[] = [];
  for (const row of ofKey) {
    const banned = overridesIn(row, now).filter((one) => isBan(one, now));
    const [ban, ...more] = bans ? [] : banned;
    if (ban === undefined) {
      await ctx.db.delete("overrides", row._id);
      continue;
    }
    if (row.before !== undefined && more.length === 0) {
      const { _id, _creationTime, ...only } = ban;
      await ctx.db.replace("overrides", _id, only);
    }
    kept.push(...[ban, ...more].map(toListed));
  }
  return kept;
}

/** Whether it denies or will, or is a past ban of `penalize` that makes the next one longer. */
function isBan(
  { override, expiresAt = Infinity, forgetAt = expiresAt }: Doc<"overrides">,
  now: number,
): boolean {
  return "deny" in override && now < forgetAt;
}

/** The most overrides, and the most bans, to delete in one transaction. */
const BATCH = 1000;

/** Deletes overrides that ended over an hour ago, and bans that were forgotten over an hour ago. */
export async function vacuumOverrides(
  ctx: MutationCtx,
  now: number,
): Promise<string | undefined> {
  const before = idleBefore(now);
  const overrides = ctx.db
    .query("overrides")
    .withIndex("expiresAt", (q) =>
      q
        .eq("forgetAt", undefined)
        .gt("expiresAt", undefined)
        .lt("expiresAt", before),
    );
  const bans = ctx.db
    .query("overrides")
    .withIndex("expiresAt", (q) =>
      q.gt("forgetAt", undefined).lt("forgetAt", before),
    );
  const isMore = await deleteSome(ctx, "overrides", overrides, BATCH);
  const isMoreBans = await deleteSome(ctx, "overrides", bans, BATCH);
  return isMore || isMoreBans ? undefined : END_CURSOR;
}
