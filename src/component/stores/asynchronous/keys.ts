import { stream } from "convex-helpers/server/stream";
import { fullFrom, readChain } from "../../../core/replay.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { idleBefore } from "../idle.js";
import { within, type Asked, type InUse } from "../listing.js";
import { listByKey, listOf, type List } from "../pages.js";
import { newestDebit, newestFirst, nextDebit } from "./stored.js";

/** The keys in use that have debits: by name and key, or by when they are full, the last first. */
export function debitKeys(
  ctx: QueryCtx,
  { name, order, prefix }: Asked,
  now: number,
): List<InUse> {
  if (order !== "depleted") {
    return listByKey(
      async (after) =>
        within(prefix, await nextDebit(ctx, after, name, prefix)),
      async ({ name, key }) => {
        const newest = await newestDebit(ctx, name, key);
        const isUsed = newest !== null && !(await isIdle(ctx, newest, now));
        return isUsed ? { name, key, store: "debits" } : null;
      },
    );
  }
  const debits = stream(ctx.db, schema).query("debits");
  const ordered =
    name === undefined
      ? debits.withIndex("fullAt", (q) => q)
      : debits.withIndex("depleted", (q) => q.eq("name", name));
  return listOf(ordered.order("desc"), async ({ name, key, _id }) => {
    const newest = await newestDebit(ctx, name, key);
    // List each key once: at its newest debit.
    if (newest?._id !== _id || (await isIdle(ctx, newest, now))) return null;
    return { name, key, store: "debits" };
  });
}

/** Whether a key's newest debit made it full, or the key has been full for an hour. */
async function isIdle(
  ctx: QueryCtx,
  { name, key, count, reset, fullAt }: Doc<"debits">,
  now: number,
): Promise<boolean> {
  if (reset === true && count === 0) return true;
  if (fullAt > idleBefore(now)) return false;
  const debits = await readChain(newestFirst(ctx, name, key));
  return fullFrom(debits) <= idleBefore(now);
}
