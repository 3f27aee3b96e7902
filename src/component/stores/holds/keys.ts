import type { LimitKey } from "../../../core/vLimitKey.js";
import type { QueryCtx } from "../../_generated/server.js";
import { within, type Asked, type InUse } from "../listing.js";
import { listByKey, type List } from "../pages.js";
import { toRows } from "./ledger.js";
import { storedLeases, type Lease } from "./stored.js";

/**
 * The keys of concurrency limits that have leases, by name and key. A limit whose config is not
 * known is listed only if it is asked for by name, with the config of its newest lease.
 */
export function heldKeys(
  ctx: QueryCtx,
  { limits, name: only, prefix }: Asked,
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
      if (found !== null) return within(prefix, found);
    }
    return undefined;
  };
  return listByKey(next, async ({ name, key }) => {
    const leases = await storedLeases(ctx, name, key, now);
    const rows = toRows(leases);
    if (rows.length === 0) return null;
    return { name, key, store: "leases", rows, config: newestOf(leases) };
  });
}

/** The config of the lease that was taken last. */
function newestOf(leases: readonly Lease[]): Lease["config"] | undefined {
  const inOrder = leases.toSorted((a, b) => a._creationTime - b._creationTime);
  return inOrder.at(-1)?.config;
}
