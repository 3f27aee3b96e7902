import type { MutationCtx } from "../../_generated/server.js";
import { deleteSome } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END } from "../pages.js";

/** So many overrides go in one transaction at most. */
const BATCH = 1000;

/** Deletes overrides that have been over for an hour, and bans that have been forgotten for as long. */
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
  return isMore || isMoreBans ? undefined : END;
}
