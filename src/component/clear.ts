import type { StoredRateLimit } from "../core/config.js";
import { api } from "./_generated/api.js";
import type { MutationCtx } from "./_generated/server.js";
import { open } from "./calls/open.js";
import { Rows } from "./ledgers/rows.js";
import { clearTakings } from "./ledgers/takings.js";

/** How many rows are deleted, and takings looked at, in one transaction. */
const BATCH = 100;

/**
 * Makes a limit full for a key. Where takings are appended (`config`), a record says so;
 * else its rows are deleted.
 */
export async function reset(
  ctx: MutationCtx,
  account: {
    name: string;
    key?: string | undefined;
    config?: StoredRateLimit | undefined;
  },
): Promise<void> {
  const { name, key, config } = account;
  const ledger =
    config === undefined
      ? new Rows(ctx, name, key, 1)
      : (await open(ctx, { name, key, config }, Date.now())).ledger;
  await ledger.reset();
  await ledger.save(ctx);
}

/** Makes full what was stored up to a time, the newest first, and goes on by itself. */
export async function clear(
  ctx: MutationCtx,
  before: number = Date.now() + 1,
): Promise<void> {
  const takings = await clearTakings(ctx, before, BATCH);
  const rows = await ctx.db
    .query("rateLimits")
    .withIndex("by_creation_time", (q) => q.lte("_creationTime", before))
    .order("desc")
    .take(BATCH);
  for (const row of rows) await ctx.db.delete("rateLimits", row._id);
  const last = [rows[BATCH - 1]?._creationTime, takings[BATCH - 1]].filter(
    (createdAt) => createdAt !== undefined,
  );
  if (last.length === 0) return;
  await ctx.scheduler.runAfter(0, api.lib.clearAll, {
    before: Math.max(...last),
  });
}
