import { limitKeysOf } from "../../../core/hash.js";
import { goneAt } from "../../../core/phases.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deleteSome, readBounded } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END } from "../pages.js";
import { storedOverrides } from "./stored.js";

/** The most overrides, and the most bans, to look for in one transaction. */
const BATCH = 1000;

/**
 * Deletes overrides that ended over an hour ago, other overrides of their keys that can never apply
 * again, and bans that were forgotten over an hour ago.
 */
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
  const { rows, isMore } = await readBounded(ctx, overrides, { most: BATCH });
  const over = new Set(rows.map(({ _id }) => _id));
  for (const { name, key } of limitKeysOf(rows)) {
    const stored = await storedOverrides(ctx, name, key);
    for (const { _id } of goneAt(stored, now)) over.add(_id);
  }
  for (const id of over) await ctx.db.delete("overrides", id);
  const isMoreBans = await deleteSome(ctx, "overrides", bans, BATCH);
  return isMore || isMoreBans ? undefined : END;
}
