import type { LimitKey } from "../core/validators.js";
import type { MutationCtx } from "../component/_generated/server.js";
import { BATCH } from "./budget.js";
import { voidHold } from "./holds/leases.js";
import { deleteRows } from "./row/stored.js";

/**
 * Deletes the rows of a key, and ends its holds, the first thousand: without the rows, they give
 * nothing back.
 *
 * @param after Only the holds that expire after this time.
 */
export async function resetKey(
  ctx: MutationCtx,
  { name, key }: LimitKey,
  after: number = Date.now(),
): Promise<void> {
  await deleteRows(ctx, { name, key });
  const open = await ctx.db
    .query("holds")
    .withIndex("name", (q) =>
      q.eq("name", name).eq("key", key).gt("expiresAt", after),
    )
    .take(BATCH);
  for (const hold of open) await voidHold(ctx, hold);
}
