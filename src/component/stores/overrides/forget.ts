import { applicable, hasEnded } from "../../../core/phases.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";

/**
 * Deletes the overrides of a key in all limits, but for its bans, unless they are to go, too. Reads
 * at most five rows for each limit, so one transaction is enough.
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
    kept.push(...applicable(ofLimit, now).filter((row) => isBan(row, now)));
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
