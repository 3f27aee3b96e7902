import { adviceOn } from "../../core/advice.js";
import type { Limit } from "../../core/limit.js";
import type { Row } from "../../core/rows.js";
import { internal } from "../_generated/api.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { isMutation, type Ledger, type Named } from "./ledger.js";
import { lookStale, snapshotOf } from "./look.js";
import { parseRow, storedRows } from "./storedRows.js";

/** Of a limit that is kept in rows. */
export const rowsOf = (
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named,
  limit: Limit,
  now: number,
) =>
  new Rows(ctx, name, key, limit.shards, (read) =>
    adviceOn(config, limit, read, now, Math.random),
  );

/**
 * The rows of one limit and key, each written in place. What is read is a read dependency:
 * the transaction fails if another one writes it meanwhile.
 */
export class Rows implements Ledger {
  /** What has been read, by shard, with what changes. */
  private readonly known = new Map<number, Known>();
  /** As they were read. */
  private readonly read: Row[] = [];
  private isAllRead = false;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly name: string,
    private readonly key: string | undefined,
    private readonly shards: number,
    private readonly advise?: (read: readonly Row[]) => string | undefined,
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
      const { ctx, name, key, known } = this;
      for (const doc of await storedRows(ctx, name, key).collect()) {
        if (!known.has(doc.shard)) this.remember(doc.shard, doc);
      }
      this.isAllRead = true;
    }
    const rows: Row[] = [];
    for (const { now } of this.known.values()) {
      if (now !== undefined) rows.push(now);
    }
    return rows;
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
    const asked = { name, key, range, snapshot: snapshotOf(ctx) };
    const rows = await lookStale(ctx, internal.lookAtRows.look, asked);
    return rows === null ? this.all() : this.withChanges(rows);
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
    // Of what is deleted nobody needs advice.
    this.read.length = 0;
  }

  async save(ctx: MutationCtx): Promise<void> {
    const { name, key } = this;
    let hasChanged = false;
    for (const row of this.known.values()) {
      const { id, now, isChanged } = row;
      if (!isChanged) continue;
      hasChanged = true;
      if (now === undefined) {
        if (id !== undefined) await ctx.db.delete("rateLimits", id);
      } else if (id !== undefined) await ctx.db.patch("rateLimits", id, now);
      else await ctx.db.insert("rateLimits", { name, key, ...now });
      row.isChanged = false;
    }
    const advice = hasChanged ? this.advise?.(this.read) : undefined;
    if (advice !== undefined) console.warn(advice);
  }

  private change(shard: number, now: Row | undefined): void {
    const id = this.known.get(shard)?.id;
    this.known.set(shard, { id, now, isChanged: true });
  }

  private remember(shard: number, doc: Doc<"rateLimits"> | null): Known {
    const now = doc === null ? undefined : parseRow(doc);
    const row = { id: doc?._id, now, isChanged: false };
    this.known.set(shard, row);
    if (now !== undefined) this.read.push(now);
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
