import { idleBefore } from "../../core/rows.js";
import type { LimitKey } from "../../core/validators.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import {
  CLEARED_AT_ONCE,
  deleteSome,
  type Remainder,
  readBounded,
} from "../budget.js";
import {
  type ListArgs,
  END_CURSOR,
  type InUse,
  type List,
  listByKey,
  limitKeyWithPrefix,
} from "../pages.js";
import { isLease, type Lease, storedLeases, toLeaseRows } from "./ledger.js";

/**
 * The keys of concurrency limits that have leases, by name and key. A limit whose config is not
 * known is listed only if it is asked for by name, with the config of its newest lease.
 */
export function leaseKeys(
  ctx: QueryCtx,
  { limits, name: only, prefix }: ListArgs,
  now: number,
): List<InUse> {
  const known = limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name);
  const isUnknown = !limits.some(({ name }) => name === only);
  const names =
    only === undefined
      ? known.sort()
      : isUnknown || known.includes(only)
        ? [only]
        : [];
  const next = async (after?: LimitKey): Promise<LimitKey | undefined> => {
    for (const name of names) {
      if (after !== undefined && name < after.name) continue;
      const found = await ctx.db
        .query("holds")
        .withIndex("name", (q) => {
          const ofName = q.eq("name", name);
          return after?.name === name
            ? ofName.gt("key", after.key)
            : ofName.gte("key", prefix);
        })
        .first();
      if (found !== null) return limitKeyWithPrefix(prefix, found);
    }
    return undefined;
  };
  return listByKey(next, async ({ name, key }) => {
    const leases = await storedLeases(ctx, name, key, now);
    const rows = toLeaseRows(leases);
    if (rows.length === 0) return null;
    return { name, key, store: "leases", rows, config: newestConfigOf(leases) };
  });
}

/** The config of the lease that was taken last. */
function newestConfigOf(leases: readonly Lease[]): Lease["config"] | undefined {
  const inOrder = leases.toSorted((a, b) => a._creationTime - b._creationTime);
  return inOrder.at(-1)?.config;
}

/** Deletes leases that were stored up to a time, the newest first. Other holds stay. */
export async function clearLeases(
  ctx: MutationCtx,
  { before, cursor = before + 1 }: Remainder,
): Promise<Remainder | undefined> {
  const newestFirst = ctx.db
    .query("holds")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", cursor))
    .order("desc");
  const { items: holds, isMore } = await readBounded(ctx, newestFirst, {
    most: CLEARED_AT_ONCE,
  });
  for (const hold of holds) {
    if (isLease(hold)) await ctx.db.delete("holds", hold._id);
  }
  if (!isMore) return undefined;
  return { before, cursor: holds.at(-1)!._creationTime };
}

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
  return isMore ? undefined : END_CURSOR;
}
