import { v, type Infer } from "convex/values";
import type { Row } from "../../core/rows.js";
import { vRow } from "../../core/vRow.js";
import { internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import {
  internalQuery,
  type MutationCtx,
  type QueryCtx,
} from "../_generated/server.js";
import { isMutation, lookStale, type Ledger } from "./ledger.js";

/**
 * The rows of one limit and key, each written in place. What is read is a read dependency:
 * the transaction fails if another one writes it meanwhile.
 */
export class Rows implements Ledger {
  /** What has been read, by shard, with what changes. */
  private readonly known = new Map<number, Known>();
  private isAllRead = false;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly name: string,
    private readonly key: string | undefined,
    private readonly shards: number,
  ) {}

  async get(shard: number): Promise<Row | undefined> {
    let row = this.known.get(shard);
    if (row === undefined && !this.isAllRead) {
      const doc = await this.ctx.db
        .query("rateLimits")
        .withIndex("name", (q) =>
          q.eq("name", this.name).eq("key", this.key).eq("shard", shard),
        )
        .unique();
      row = this.remember(shard, doc);
    }
    return row?.now;
  }

  async all(): Promise<Row[]> {
    if (!this.isAllRead) {
      const docs = await storedRows(this.ctx, this.name, this.key);
      for (const doc of docs) {
        if (!this.known.has(doc.shard)) this.remember(doc.shard, doc);
      }
      this.isAllRead = true;
    }
    return [...this.known.values()]
      .map(({ now }) => now)
      .filter((row) => row !== undefined);
  }

  /**
   * In a mutation that has not written yet, the rows as they were when it began. A query
   * depends on what it shows anyway; and what a mutation has written, only a read shows.
   */
  async look(first = 0, count = this.shards): Promise<Row[]> {
    const { ctx, name, key, shards } = this;
    // Of a limit that is not split a look would cost more than to read its row, beside which
    // others may be left from when it was.
    if (shards === 1 || this.isAllRead || !isMutation(ctx)) return this.all();
    const { documentsWritten } = await ctx.meta.getTransactionMetrics();
    if (documentsWritten.used > 0) return this.all();
    const isWhole = count >= shards;
    const range = isWhole ? undefined : { first, count, shards };
    const rows = await lookStale(ctx, internal.rows.look, { name, key, range });
    return this.withChanges(rows);
  }

  private withChanges(rows: Row[]): Row[] {
    let all = rows;
    for (const [shard, { now, isChanged }] of this.known) {
      if (!isChanged) continue;
      all = all.filter((row) => row.shard !== shard);
      if (now !== undefined) all.push(now);
    }
    return all;
  }

  set(rows: readonly Row[]): void {
    for (const row of rows) this.change(row.shard, row);
    // Rows beyond the split are left from a wider one, and are summed up in those written.
    if (rows.length < this.shards) return;
    for (const shard of this.known.keys()) {
      if (shard >= this.shards) this.change(shard, undefined);
    }
  }

  async reset(): Promise<void> {
    await this.all();
    for (const shard of this.known.keys()) this.change(shard, undefined);
  }

  async save(ctx: MutationCtx): Promise<void> {
    const { name, key } = this;
    for (const row of this.known.values()) {
      const { id, now, isChanged } = row;
      if (!isChanged) continue;
      if (now === undefined) {
        if (id !== undefined) await ctx.db.delete("rateLimits", id);
      } else if (id !== undefined) await ctx.db.patch("rateLimits", id, now);
      else await ctx.db.insert("rateLimits", { name, key, ...now });
      row.isChanged = false;
    }
  }

  private change(shard: number, now: Row | undefined): void {
    const id = this.known.get(shard)?.id;
    this.known.set(shard, { id, now, isChanged: true });
  }

  private remember(shard: number, doc: Doc<"rateLimits"> | null): Known {
    const row =
      doc === null
        ? { id: undefined, now: undefined, isChanged: false }
        : { id: doc._id, now: toRow(doc), isChanged: false };
    this.known.set(shard, row);
    return row;
  }
}

/** One row, absent ones too. */
type Known = {
  /** Under which it is stored. */
  id: Id<"rateLimits"> | undefined;
  /** What it says, with what changes; `undefined` if it is absent, or to be deleted. */
  now: Row | undefined;
  isChanged: boolean;
};

type Stored = Infer<typeof vRow>;

/**
 * What a stored row says. Numbers that are not finite (`@convex-dev/rate-limiter` could
 * store NaN) say nothing.
 */
export function toRow(doc: Stored): Row | undefined {
  const { shard, value, ts, fullAt, usedAt, of, capacity } = doc;
  if (!Number.isFinite(value) || !Number.isFinite(ts)) return undefined;
  return { shard, value, ts, fullAt, usedAt, of, capacity };
}

/** All rows of a limit and key, for who only reads. */
export async function allRows(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Row[]> {
  const docs = await storedRows(ctx, name, key);
  return docs.map(toRow).filter((row) => row !== undefined);
}

/** As {@link allRows}, as they are stored. */
export async function storedRows(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Doc<"rateLimits">[]> {
  return ctx.db
    .query("rateLimits")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .collect();
}

/**
 * A row is left alone for this long after it is full, so that clocks that differ,
 * or step back, by less than that cannot revive it.
 */
const GRACE_MS = 60 * 60 * 1000;

/** Rows that became full before this time are idle: the vacuum may take them. */
export function idleBefore(now: number): number {
  return now - GRACE_MS;
}

/** Whether a row is so: see {@link idleBefore}. One without `fullAt` never is. */
export function isIdleRow(
  { fullAt = Infinity }: { fullAt?: number },
  now: number,
): boolean {
  return fullAt < idleBefore(now);
}

/** The stored rows of a limit and key, all of them or a range, for {@link Rows.look}. */
export const look = internalQuery({
  args: {
    name: v.string(),
    key: v.optional(v.string()),
    range: v.optional(
      v.object({ first: v.number(), count: v.number(), shards: v.number() }),
    ),
  },
  returns: v.array(vRow),
  handler: async (ctx, { name, key, range }): Promise<Row[]> => {
    const between = (from: number, to: number) =>
      ctx.db
        .query("rateLimits")
        .withIndex("name", (q) =>
          q.eq("name", name).eq("key", key).gte("shard", from).lt("shard", to),
        )
        .collect();
    const { first, count, shards } = range ?? ALL;
    const end = first + count;
    const docs = await between(first, Math.min(end, shards));
    // From the last shard on it goes on with the first.
    if (end > shards) docs.push(...(await between(0, end - shards)));
    return docs.map(toRow).filter((row) => row !== undefined);
  },
});

const ALL = { first: 0, count: Infinity, shards: Infinity };
