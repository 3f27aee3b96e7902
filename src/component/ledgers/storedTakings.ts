import { readChain, type Taking } from "../../core/chain.js";
import type { Row } from "../../core/rows.js";
import type { Place } from "../../core/vPlace.js";
import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { allRows } from "./storedRows.js";

/** The records that a limit's state follows from, or where there are none its rows. */
export async function readTakings(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<{ met: Taking[]; rows: Row[] }> {
  const met = await readChain(newestFirst(ctx, name, key));
  return { met, rows: met.length > 0 ? [] : await allRows(ctx, name, key) };
}

export async function* newestFirst(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): AsyncGenerator<Taking> {
  const docs = ctx.db
    .query("takings")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key))
    .order("desc");
  for await (const doc of docs) yield toTaking(doc);
}

export function toTaking({
  at,
  seen,
  count,
  reset,
  value,
  ts,
  fullAt,
  nextAt,
  rule,
}: Doc<"takings">): Taking {
  return {
    // The own transaction's is a placeholder.
    at: typeof at === "bigint" ? at : undefined,
    seen,
    count,
    reset: reset === true,
    value,
    ts,
    fullAt,
    nextAt,
    rule,
  };
}

/** What this transaction has written for a limit and key. Conflicts with nobody. */
export function ownTaking(
  ctx: MutationCtx,
  account: Place,
): Promise<Doc<"takings"> | null> {
  return takingAt(ctx, account, ctx.db.vars.commitTs);
}

export function takingAt(
  ctx: MutationCtx,
  { name, key }: Place,
  at: Doc<"takings">["at"],
): Promise<Doc<"takings"> | null> {
  return ctx.db
    .query("takings")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key).eq("at", at))
    .unique();
}

export function newestTaking(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"takings"> | null> {
  return ctx.db
    .query("takings")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key))
    .order("desc")
    .first();
}

/**
 * The oldest record of the first limit and key behind another one, by name and key: of all
 * limits, or of one and from a prefix of its keys on.
 */
export async function nextTaken(
  ctx: QueryCtx,
  name: string | undefined,
  after: Place | undefined,
  prefix?: string,
): Promise<Doc<"takings"> | null> {
  const takings = () => ctx.db.query("takings");
  if (after === undefined) {
    return takings()
      .withIndex("at", (q) =>
        // No prefix is before every key, and before where there is none.
        name === undefined ? q : q.eq("name", name).gte("key", prefix),
      )
      .first();
  }
  const ofName = await takings()
    .withIndex("at", (q) => q.eq("name", after.name).gt("key", after.key))
    .first();
  if (ofName !== null || name !== undefined) return ofName;
  return takings()
    .withIndex("at", (q) => q.gt("name", after.name))
    .first();
}
