import { stream } from "convex-helpers/server/stream";
import { idOf } from "../../../core/hash.js";
import { isForgotten } from "../../../core/row.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { endOf, type Asked, type InUse } from "../listing.js";
import { listOf, type List } from "../pages.js";
import { readableRows } from "./readable.js";
import { parseRow } from "./stored.js";

/** The keys in use that have rows: by name and key, or by when they are full, the last first. */
export function rowKeys(
  ctx: QueryCtx,
  { name, order, prefix }: Asked,
  now: number,
): List<InUse> {
  const rows = stream(ctx.db, schema).query("rateLimits");
  const inOrder =
    order !== "depleted"
      ? rows.withIndex("name", (q) => {
          if (name === undefined) return q;
          const ofName = q.eq("name", name);
          if (prefix === undefined) return ofName;
          const from = ofName.gte("key", prefix);
          const end = endOf(prefix);
          return end === undefined ? from : from.lt("key", end);
        })
      : name === undefined
        ? rows.withIndex("fullAt", (q) => q).order("desc")
        : rows.withIndex("depleted", (q) => q.eq("name", name)).order("desc");
  const read = new Map<string, Doc<"rateLimits">[]>();
  return listOf(inOrder, async ({ _id, name, key }) => {
    const id = idOf({ name, key });
    const ofKey = read.get(id) ?? (await readableRows(ctx, { name, key })).rows;
    read.set(id, ofKey);
    // List each key once: at the first of its rows.
    const first = order === "depleted" ? fullLast(ofKey) : ofKey[0];
    if (first?._id !== _id || isForgotten(ofKey, now)) return null;
    const parsed = ofKey.map(parseRow).filter((row) => row !== undefined);
    return { name, key, store: "rows", rows: parsed };
  });
}

/** The row that is full last; of several, the newest. */
function fullLast(
  rows: readonly Doc<"rateLimits">[],
): Doc<"rateLimits"> | undefined {
  const fullAt = (row: Doc<"rateLimits">) => row.fullAt ?? 0;
  return rows.toSorted(
    (a, b) => fullAt(b) - fullAt(a) || b._creationTime - a._creationTime,
  )[0];
}
