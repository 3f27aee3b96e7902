import { limitKeysOf } from "../../core/limitKey.js";
import {
  overridesToKeep,
  replacedOverrides,
  hasEnded,
} from "../../core/phases.js";
import { idleBefore } from "../../core/rows.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import type { MutationCtx } from "../../component/_generated/server.js";
import { deleteSome, readBounded } from "../budget.js";
import { END_CURSOR } from "../pages.js";
import { storedOverrides } from "./stored.js";

/**
 * Deletes the overrides of a key in all limits; its bans only if `bans` is true. Reads at most five
 * rows for each limit, so one transaction is enough.
 *
 * @returns The bans that stay.
 */
export async function forgetOverrides(
  ctx: MutationCtx,
  key: string,
  { bans, now }: { bans: boolean; now: number },
): Promise<Doc<"overrides">[]> {
  const ofKey = await ctx.db
    .query("overrides")
    .withIndex("key", (q) => q.eq("key", key))
    .collect();
  const kept: Doc<"overrides">[] = [];
  for (const name of new Set(bans ? [] : ofKey.map(({ name }) => name))) {
    const ofLimit = ofKey.filter((row) => row.name === name);
    kept.push(
      ...overridesToKeep(ofLimit, now).filter((row) => isBan(row, now)),
    );
  }
  for (const row of ofKey) {
    if (!kept.includes(row)) await ctx.db.delete("overrides", row._id);
  }
  return kept;
}

/** Whether it denies or will, or is a past ban of `penalize` that makes the next one longer. */
function isBan(row: Doc<"overrides">, now: number): boolean {
  return (
    row.bans !== undefined || ("deny" in row.override && !hasEnded(row, now))
  );
}

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
  const { items, isMore } = await readBounded(ctx, overrides, { most: BATCH });
  const over = new Set(items.map(({ _id }) => _id));
  for (const { name, key } of limitKeysOf(items)) {
    const stored = await storedOverrides(ctx, name, key);
    for (const { _id } of replacedOverrides(stored, now)) over.add(_id);
  }
  for (const id of over) await ctx.db.delete("overrides", id);
  const isMoreBans = await deleteSome(ctx, "overrides", bans, BATCH);
  return isMore || isMoreBans ? undefined : END_CURSOR;
}
