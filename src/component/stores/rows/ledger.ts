import { adviceOn, closeness } from "../../../core/advice.js";
import type { Limit } from "../../../core/limit.js";
import type { Row } from "../../../core/row.js";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { isMutation, type Ledger, type Named } from "../ledger.js";
import { lookStale, snapshotOf } from "../stale.js";
import { parseRow, storedRows } from "./stored.js";

/** The ledger of a limit that is kept in rows. Gives advice when calls come close on a row. */
export function rowLedgerOf(
  ctx: QueryCtx | MutationCtx,
  { name, key, config }: Named,
  limit: Limit,
  now: number,
): RowLedger {
  return new RowLedger(ctx, name, key, limit.shards, (read) => {
    const age = closeness(limit, read, now);
    if (age === undefined) return false;
    const advice = adviceOn(config, limit, age, Math.random);
    if (advice !== undefined) console.warn(advice);
    return true;
  });
}

/**
 * The rows of one limit and key, each patched in place. Each row that is read is a read
 * dependency: the transaction conflicts if another one writes it meanwhile.
 */
export class RowLedger implements Ledger {
  /** The rows read so far, by shard, with their changes. */
  protected readonly known = new Map<number, Known>();
  private isAllRead = false;

  constructor(
    protected readonly ctx: QueryCtx | MutationCtx,
    protected readonly name: string,
    protected readonly key: string | undefined,
    private readonly shards: number,
    private readonly isClose?: (read: readonly Row[]) => boolean,
  ) {}

  async read(shard?: number): Promise<Row[]> {
    if (shard === undefined) return this.readAll();
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
    return row?.now === undefined ? [] : [row.now];
  }

  /**
   * Stale only in a mutation that has not written yet: a stale snapshot does not show what the
   * mutation has written, and a query depends on what it shows anyway.
   */
  async look(first = 0, count = this.shards): Promise<Row[]> {
    const { ctx, name, key, shards } = this;
    // A look costs a nested call, more than reading the one row of an unsplit
    // limit.
    if (shards === 1 || this.isAllRead || !isMutation(ctx)) {
      return this.readAll();
    }
    const { documentsWritten } = await ctx.meta.getTransactionMetrics();
    if (documentsWritten.used > 0) return this.readAll();
    const isWhole = count >= shards;
    const range = isWhole ? undefined : { first, count, shards };
    const asked = { name, key, range, snapshot: snapshotOf(ctx) };
    const rows = await lookStale(ctx, internal.lookAtRows.storedRows, asked);
    return rows === null ? this.readAll() : this.withChanges(rows);
  }

  set(rows: readonly Row[]): void {
    for (const row of rows) this.change(row.shard, row);
    // Rows beyond the split are left over from a wider one. The rows now set
    // include what they held.
    if (rows.length < this.shards) return;
    for (const shard of this.known.keys()) {
      if (shard >= this.shards) this.change(shard, undefined);
    }
  }

  async save(ctx: MutationCtx): Promise<boolean> {
    if (!(await this.write(ctx)) || this.isClose === undefined) return false;
    const read: Row[] = [];
    for (const { before } of this.known.values()) {
      if (before !== undefined) read.push(before);
    }
    return this.isClose(read);
  }

  async reset(ctx: MutationCtx): Promise<void> {
    await this.readStored();
    for (const shard of this.known.keys()) this.change(shard, undefined);
    await this.write(ctx);
  }

  /** Writes the changes, and returns whether there were any. */
  private async write(ctx: MutationCtx): Promise<boolean> {
    const { name, key } = this;
    let hasChanged = false;
    for (const row of this.known.values()) {
      const { id, now, isChanged } = row;
      if (!isChanged) continue;
      hasChanged = true;
      if (now === undefined) {
        if (id !== undefined) await ctx.db.delete("rateLimits", id);
      } else {
        const stored = this.toStored(ctx, now, row.before);
        removeLeftovers(stored, row.before);
        if (id !== undefined) await ctx.db.patch("rateLimits", id, stored);
        else await ctx.db.insert("rateLimits", { name, key, ...stored });
      }
      row.isChanged = false;
    }
    return hasChanged;
  }

  /** The fields to store for a row. */
  protected toStored(
    _ctx: MutationCtx,
    row: Row,
    _before: Row | undefined,
  ): Stored {
    return row;
  }

  protected async readAll(): Promise<Row[]> {
    await this.readStored();
    const rows: Row[] = [];
    for (const { now } of this.known.values()) {
      if (now !== undefined) rows.push(now);
    }
    return rows;
  }

  /** Reads every row that is stored. */
  private async readStored(): Promise<void> {
    if (this.isAllRead) return;
    const { ctx, name, key, known } = this;
    for (const doc of await storedRows(ctx, name, key).collect()) {
      if (!known.has(doc.shard)) this.remember(doc.shard, doc);
    }
    this.isAllRead = true;
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

  protected change(shard: number, row: Row | undefined): void {
    const { id, before } = this.known.get(shard) ?? {};
    this.known.set(shard, { id, before, now: row, isChanged: true });
  }

  protected remember(shard: number, doc: Doc<"rateLimits"> | null): Known {
    const now = doc === null ? undefined : parseRow(doc);
    const row = { id: doc?._id, before: now, now, isChanged: false };
    this.known.set(shard, row);
    return row;
  }
}

/** The fields of a stored row. */
export type Stored = Omit<Doc<"rateLimits">, "_id" | "_creationTime" | "name">;

/**
 * Names the fields that the row no longer stores: a patch keeps what it does not name. These are
 * stored only for windows, under an override, or while the limit splits itself.
 */
function removeLeftovers(stored: Stored, before: Row | undefined): void {
  if (before === undefined) return;
  if (before.usedAt !== undefined) stored.usedAt ??= undefined;
  if (before.capacity !== undefined) stored.capacity ??= undefined;
  if (before.into !== undefined) stored.into ??= undefined;
  if (before.at !== undefined) stored.at ??= undefined;
  if (before.calm !== undefined) stored.calm ??= undefined;
}

/** One row, present or absent. */
type Known = {
  /** The stored row's id. */
  id: Id<"rateLimits"> | undefined;
  /** The row as it was read. */
  before: Row | undefined;
  /** The row with its changes; `undefined` if it is absent, or to be deleted. */
  now: Row | undefined;
  isChanged: boolean;
};
