import type { MutationCtx } from "../../_generated/server.js";
import { deleteSome } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END } from "../pages.js";

/** The most holds to delete in one transaction. */
const BATCH = 1000;

/** Deletes holds that expired over an hour ago. */
export async function vacuumHolds(
  ctx: MutationCtx,
  now: number,
): Promise<string | undefined> {
  const holds = ctx.db
    .query("holds")
    .withIndex("expiresAt", (q) => q.lt("expiresAt", idleBefore(now)));
  const isMore = await deleteSome(ctx, "holds", holds, BATCH);
  return isMore ? undefined : END;
}
