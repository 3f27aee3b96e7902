import { stream } from "convex-helpers/server/stream";
import { idleBefore } from "../row/row.js";
import type { ListedOverride } from "../../core/validators.js";
import type { Doc } from "../../component/_generated/dataModel.js";
import schema from "../../component/schema.js";
import { deleteSome } from "../budget.js";
import type { Store } from "../store.js";
import { before, past } from "../walk.js";
import { overridesIn, toListed } from "./stored.js";

export const overrides: Store = {
  /** Deletes overrides that ended over an hour ago, and bans that were forgotten over an hour ago. */
  async vacuum(ctx, now, cursor) {
    const byEnd = stream(ctx.db, schema)
      .query("overrides")
      .withIndex("expiresAt");
    const time = idleBefore(now);
    const ended = {
      from: past(undefined, undefined),
      to: before(undefined, time),
    };
    const bans = { from: past(undefined), to: before(time) };
    const isMore = await deleteSome(ctx, "overrides", byEnd, ended, bans);
    return isMore ? cursor : undefined;
  },

  /**
   * Deletes the overrides of a key in all limits; its bans only if `bans` is true. Reads at most
   * three rows for each limit, so one transaction is enough.
   */
  async forgetAtOnce(ctx, key, { bans, now }) {
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
        // Without the other one in its row, it ends when it was set to.
        const { _id, _creationTime, ...only } = ban;
        const { expiresAt } = ban.startsAt === row.startsAt ? row : row.before;
        await ctx.db.replace("overrides", _id, { ...only, expiresAt });
      }
      kept.push(...[ban, ...more].map(toListed));
    }
    return kept;
  },
};

/** Whether it denies or will, or is a past ban of `penalize` that makes the next one longer. */
function isBan(
  { override, expiresAt = Infinity, forgetAt = expiresAt }: Doc<"overrides">,
  now: number,
): boolean {
  return "deny" in override && now < forgetAt;
}
