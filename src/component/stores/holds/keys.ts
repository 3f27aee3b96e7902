import type { LimitKey } from "../../../core/vLimitKey.js";
import type { QueryCtx } from "../../_generated/server.js";
import { within, type Asked, type InUse } from "../listing.js";
import { listByKey, type List } from "../pages.js";
import { toRows } from "./ledger.js";
import { storedLeases } from "./stored.js";

/** The keys of concurrency limits that have leases, by name and key. */
export function heldKeys(
  ctx: QueryCtx,
  { limits, name: only, prefix }: Asked,
  now: number,
): List<InUse> {
  const names = limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name)
    .sort();
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
    const rows = toRows(await storedLeases(ctx, name, key, now));
    return rows.length > 0 ? { name, key, store: "leases", rows } : null;
  });
}
