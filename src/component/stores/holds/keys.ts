import { stream } from "convex-helpers/server/stream";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { endOf, type Asked, type InUse } from "../listing.js";
import { listOf, type List } from "../pages.js";
import { toRows } from "./ledger.js";
import { storedLeases } from "./stored.js";

/** The keys of concurrency limits that are held: a list for each limit, by name, then by key. */
export function heldKeys(
  ctx: QueryCtx,
  { limits, name: only, prefix }: Asked,
  now: number,
): List<InUse>[] {
  return limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name)
    .sort()
    .map((name) => {
      const held = stream(ctx.db, schema)
        .query("holds")
        .withIndex("name", (q) => {
          const ofName = q.eq("name", name);
          if (prefix === undefined) return ofName;
          const from = ofName.gte("key", prefix);
          const end = endOf(prefix);
          return end === undefined ? from : from.lt("key", end);
        })
        .distinct(["name", "key"]);
      return listOf(held, async ({ key }) => {
        const rows = toRows(await storedLeases(ctx, name, key, now));
        return rows.length > 0 ? { name, key, store: "leases", rows } : null;
      });
    });
}
