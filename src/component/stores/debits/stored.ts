import { readChain } from "../../../core/replay.js";
import type { Row } from "../../../core/rows.js";
import type { Debit, LimitKey } from "../../../core/validators.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { allRows } from "../rows/stored.js";

/** The debits that a limit's state follows from, or its rows if it has no debit yet. */
export async function readDebitsOrRows(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<{ debits: Debit[]; rows: Row[] }> {
  const debits = await readChain(newestFirst(ctx, name, key));
  const rows = debits.length > 0 ? [] : await allRows(ctx, name, key);
  return { debits, rows };
}

export async function* newestFirst(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): AsyncGenerator<Debit> {
  const docs = queryDebits(ctx, name, key).order("desc");
  for await (const doc of docs) yield toDebit(doc);
}

export function queryDebits(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
) {
  return ctx.db
    .query("debits")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key));
}

export function toDebit({
  _id,
  _creationTime,
  name: _name,
  key: _key,
  at,
  ...debit
}: Doc<"debits">): Debit {
  // This transaction's own timestamp is a placeholder.
  return typeof at === "bigint" ? { ...debit, at } : debit;
}

/** This transaction's debit for a limit key. Conflicts with nobody. */
export function ownDebit(
  ctx: MutationCtx,
  limitKey: LimitKey,
): Promise<Doc<"debits"> | null> {
  return debitAt(ctx, limitKey, ctx.db.vars.commitTs);
}

export function debitAt(
  ctx: MutationCtx,
  { name, key }: LimitKey,
  at: Doc<"debits">["at"],
): Promise<Doc<"debits"> | null> {
  return ctx.db
    .query("debits")
    .withIndex("at", (q) => q.eq("name", name).eq("key", key).eq("at", at))
    .unique();
}

export function newestDebit(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"debits"> | null> {
  return queryDebits(ctx, name, key).order("desc").first();
}

/**
 * The oldest debit of the next limit key after another one, by name and key: of all limits, or of
 * one limit, from a prefix of its keys on.
 */
export async function nextDebit(
  ctx: QueryCtx,
  after: LimitKey | undefined,
  name?: string,
  prefix?: string,
): Promise<Doc<"debits"> | null> {
  const debits = () => ctx.db.query("debits");
  if (after === undefined) {
    return debits()
      .withIndex("at", (q) =>
        // Without a prefix, start with the debits that have no key.
        name === undefined ? q : q.eq("name", name).gte("key", prefix),
      )
      .first();
  }
  const ofName = await debits()
    .withIndex("at", (q) => q.eq("name", after.name).gt("key", after.key))
    .first();
  if (ofName !== null || name !== undefined) return ofName;
  return debits()
    .withIndex("at", (q) => q.gt("name", after.name))
    .first();
}
