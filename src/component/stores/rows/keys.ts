import { stream } from "convex-helpers/server/stream";
import { idOf } from "../../../core/hash.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { readBounded } from "../budget.js";
import { isIdleRow } from "../idle.js";
import { endOf, type Asked, type InUse } from "../listing.js";
import { listOf, type List } from "../pages.js";
import { parseRow, storedRows } from "./stored.js";

/** The keys in use that have rows: by name and key, or the one that is full last first. */
export function rowKeys(ctx: QueryCtx, asked: Asked, now: number): List<InUse> {
  return asked.order === "depleted"
    ? byDepletion(ctx, asked, now)
    : byKey(ctx, asked, now);
}

function byKey(
  ctx: QueryCtx,
  { name, prefix }: Asked,
  now: number,
): List<InUse> {
  const rows = stream(ctx.db, schema)
    .query("rateLimits")
    .withIndex("name", (q) => {
      if (name === undefined) return q;
      const ofName = q.eq("name", name);
      if (prefix === undefined) return ofName;
      const from = ofName.gte("key", prefix);
      const end = endOf(prefix);
      return end === undefined ? from : from.lt("key", end);
    })
    .distinct(["name", "key"]);
  return listOf(rows, async ({ name, key }) => {
    const ofKey = await rowsOf(ctx, name, key);
    const isInUse = ofKey.some((row) => !isIdleRow(row, now));
    return isInUse ? toInUse(name, key, ofKey) : null;
  });
}

function byDepletion(ctx: QueryCtx, { name }: Asked, now: number): List<InUse> {
  const rows = stream(ctx.db, schema).query("rateLimits");
  const ordered =
    name === undefined
      ? rows.withIndex("fullAt", (q) => q)
      : rows.withIndex("depleted", (q) => q.eq("name", name));
  const read = new Map<string, Doc<"rateLimits">[]>();
  return listOf(ordered.order("desc"), async ({ _id, name, key }) => {
    const id = idOf({ name, key });
    const ofKey = read.get(id) ?? (await rowsOf(ctx, name, key));
    read.set(id, ofKey);
    // Each key once.
    return fullLast(ofKey, now)?._id === _id ? toInUse(name, key, ofKey) : null;
  });
}

/** The rows of a key; as many as can be read of a key that calls refuse for its length. */
async function rowsOf(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"rateLimits">[]> {
  return (await readBounded(ctx, storedRows(ctx, name, key))).rows;
}

/** The row in use that is full last. */
function fullLast(
  rows: readonly Doc<"rateLimits">[],
  now: number,
): Doc<"rateLimits"> | undefined {
  const fullAt = (row: Doc<"rateLimits">) => row.fullAt ?? 0;
  return rows
    .filter((row) => !isIdleRow(row, now))
    .sort(
      (a, b) => fullAt(b) - fullAt(a) || b._creationTime - a._creationTime,
    )[0];
}

function toInUse(
  name: string,
  key: string | undefined,
  docs: readonly Doc<"rateLimits">[],
): InUse {
  const rows = docs.map(parseRow).filter((row) => row !== undefined);
  return { name, key, store: "rows", rows };
}
