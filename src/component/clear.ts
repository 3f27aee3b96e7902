import { api } from "./_generated/api.js";
import type { MutationCtx } from "./_generated/server.js";
import { Rows } from "./rows.js";

/** How many rows are deleted in one transaction. */
const BATCH = 100;

/** Makes a limit full for a key. */
export async function reset(
  ctx: MutationCtx,
  name: string,
  key: string | undefined,
): Promise<void> {
  const ledger = new Rows(ctx, name, key, 1);
  await ledger.reset();
  await ledger.save(ctx);
}

/** Deletes the rows created up to a time, the newest first, and goes on by itself. */
export async function clear(
  ctx: MutationCtx,
  before: number | undefined,
): Promise<void> {
  const rows = await ctx.db
    .query("rateLimits")
    .withIndex("by_creation_time", (q) =>
      before === undefined ? q : q.lte("_creationTime", before),
    )
    .order("desc")
    .take(BATCH);
  for (const row of rows) await ctx.db.delete("rateLimits", row._id);
  const last = rows[BATCH - 1];
  if (last === undefined) return;
  await ctx.scheduler.runAfter(0, api.lib.clearAll, {
    before: last._creationTime,
  });
}
