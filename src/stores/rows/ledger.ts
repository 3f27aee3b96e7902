import type { StoredRefillingConfig } from "../../core/config.js";
import { adviceOn } from "../../core/advice.js";
import type { Credit, Decision } from "../../core/decide.js";
import { type Demand, mayMakeDebt } from "../../core/demand.js";
import type { Phases } from "../../core/phases.js";
import { closeWrites, firstRowsFor, HEAT, partsFor } from "../../core/heat.js";
import { ruleOf, toLimit, type Limit } from "../../core/limit.js";
import {
  isUnmigrated,
  balanceOf,
  toRow,
  writeOf,
  ageOfCloseWrite,
  rowsAsCounted,
  isUsable,
  rootToStore,
  type Row,
  type SplitRow,
} from "../../core/rows.js";
import {
  isSplitRow,
  type Leaf,
  leafBelow,
  partShard,
  pathTo,
  rootLeaf,
} from "../../core/tree.js";
import { internal } from "../../component/_generated/api.js";
import type { Doc, Id } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import { isMutation, type Ledger, type Target } from "../ledger.js";
import { lookStale, snapshotOf } from "../stale.js";
import { creditByRows } from "./credit.js";
import { decideByRows, type Rows } from "./decide.js";
import { parseRow, parseRows, queryRows } from "./stored.js";
import { readSample } from "./walk.js";

/**
 * The rows of one limit key, each replaced in place. Each row that is read is a read dependency:
 * the transaction conflicts if another one writes it meanwhile. As long as the limit is one row, a
 * call reads that row and no other.
 *
 * If the stored rows are split or counted differently from the limit now, row 0 is what they add up
 * to, and the first change replaces them with it. `read` and `look` still return them as stored.
 */
export class RowLedger implements Ledger, Rows {
  /** The rows read so far, by shard, with their changes. */
  private readonly known = new Map<number, KnownRow>();
  private isAllRead = false;
  /** The stored rows, if row 0 is to replace them all. */
  toReplace: Row[] | undefined;
  readonly limit: Limit;
  /** Whether the call may take tokens that there are not. */
  private mayOwe = false;
  /** Whether a look has shown that calls overlap. */
  private doesOverlap = false;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly target: Target<StoredRefillingConfig>,
    readonly phases: Phases,
    readonly now: number,
  ) {
    this.limit = phases[0].limit;
  }

  decide(demands: readonly Demand[], random: () => number): Promise<Decision> {
    this.mayOwe = demands.some(mayMakeDebt);
    return decideByRows(this, demands, random);
  }

  credit(count: number, random: () => number, shard?: number): Promise<Credit> {
    return creditByRows(this, count, random, shard);
  }

  async sample(
    size: number,
    random: () => number,
  ): Promise<Leaf[] | undefined> {
    const root = await this.readSplitRoot();
    return root && readSample(this, root, size, random);
  }

  async readSplitRoot(): Promise<SplitRow | undefined> {
    if (!this.known.has(0)) await this.readRoot();
    const root = this.known.get(0)?.after;
    return root && isSplitRow(root) ? root : undefined;
  }

  async read(shard?: number): Promise<Row[]> {
    const root = await this.readSplitRoot();
    if (shard === undefined) {
      if (root !== undefined) await this.readStored();
      return this.toReplace ?? this.present();
    }
    let row = this.known.get(shard);
    if (row === undefined && !this.isAllRead) {
      const doc = await queryRows(this.ctx, this.target, shard).unique();
      row = this.remember(shard, doc);
    }
    return row?.after === undefined ? [] : [row.after];
  }

  /**
   * Stale only in a mutation, together with what that has written itself: a query depends on what
   * it reads anyway.
   */
  async look(): Promise<Row[]> {
    const root = await this.readSplitRoot();
    // A look costs a nested call, more than reading the one row of an unsplit limit.
    const rows = root && (await this.lookAtStored());
    return rows ?? this.read();
  }

  noteOverlap(): void {
    this.doesOverlap = true;
  }

  set(writes: readonly Row[]): void {
    if (writes.length === 0) return;
    const { limit, now } = this;
    // A key without rows is full, and counts as one row.
    const isUnused = this.isAllRead && this.present().length === 0;
    const rows = isUnused ? this.firstRows(writes[0]!) : writes;
    if (this.toReplace !== undefined) {
      const one = this.known.get(0)!.after;
      this.toReplace = undefined;
      if (one) this.set([rootToStore(limit, one, now)]);
    }
    if (rows.some(({ shard }) => shard === 0)) {
      for (const shard of this.known.keys()) this.change(shard, undefined);
    }
    for (const row of rows) this.change(row.shard, row);
  }

  async save(ctx: MutationCtx): Promise<{ isClose: boolean }> {
    const changed = [...this.known.values()].filter((row) => row.isChanged);
    for (const row of changed) await this.write(ctx, row);
    // A limit that can split needs no advice about close calls.
    const mayBeClose = changed.length > 0 && !this.limit.canSplit;
    return { isClose: mayBeClose && this.adviseIfClose() };
  }

  /** Reads row 0; and all rows if they are to be replaced. */
  private async readRoot(): Promise<void> {
    // The first row of the key: row 0, or a sign that there are others without it.
    const doc = await queryRows(this.ctx, this.target).first();
    this.isAllRead = doc === null;
    const { after: root } = this.remember(0, doc?.shard === 0 ? doc : null);
    if (
      (doc !== null && isUnmigrated(root)) ||
      !isUsable(this.limit, root, this.now)
    ) {
      // All stored rows show as one row 0, which is to replace them.
      await this.readStored();
      this.toReplace = this.present();
      const [one] = rowsAsCounted(this.limit, this.toReplace, this.now);
      for (const row of this.known.values()) row.after = undefined;
      this.known.get(0)!.after = one;
    }
  }

  /** Reads every stored row. */
  private async readStored(): Promise<void> {
    if (this.isAllRead) return;
    for (const doc of await queryRows(this.ctx, this.target).collect()) {
      if (!this.known.has(doc.shard)) this.remember(doc.shard, doc);
    }
    this.isAllRead = true;
  }

  private present(): Row[] {
    return [...this.known.values()].flatMap(({ after = [] }) => after);
  }

  private remember(shard: number, doc: Doc<"rateLimits"> | null): KnownRow {
    const before = doc === null ? undefined : parseRow(doc);
    const row = { id: doc?._id, before, after: before, isChanged: false };
    this.known.set(shard, row);
    return row;
  }

  /**
   * Looks at stored rows. Null if a stale snapshot would not do, or if all rows have been read: if
   * this transaction has replaced them all, or if the snapshot is too old.
   */
  private async lookAtStored(): Promise<Row[] | null> {
    const { ctx } = this;
    if (this.isAllRead || !isMutation(ctx)) return null;
    const { name, key } = this.target;
    // What this transaction wrote before this call. Nobody else can write in this range, so the
    // read conflicts with nothing.
    const written = await ctx.db
      .query("rateLimits")
      .withIndex("own", (q) =>
        q.eq("name", name).eq("key", key).eq("at", ctx.db.vars.commitTs),
      )
      .collect();
    const own = parseRows(written);
    if (own.some(({ shard }) => shard === 0)) return null;
    const args = { name, key, snapshot: snapshotOf(ctx) };
    const rows = await lookStale(ctx, internal.looks.storedRows, args);
    if (rows === null) return null;
    // With what this transaction and this call have changed.
    const all = new Map<number, Row | undefined>();
    for (const row of [...rows, ...own]) all.set(row.shard, row);
    for (const [shard, { after, isChanged }] of this.known) {
      if (isChanged) all.set(shard, after);
    }
    return [...all.values()].filter((row) => row !== undefined);
  }

  private change(shard: number, row: Row | undefined): void {
    const { id, before } = this.known.get(shard) ?? {};
    this.known.set(shard, { id, before, after: row, isChanged: true });
  }

  private async write(ctx: MutationCtx, row: KnownRow): Promise<void> {
    const { id, after } = row;
    row.isChanged = false;
    if (after === undefined) {
      if (id !== undefined) await ctx.db.delete("rateLimits", id);
      return;
    }
    const { limit, target } = this;
    const fields: RowFields = limit.canSplit
      ? this.withHeat(ctx, row, after)
      : after;
    const stored = { name: target.name, key: target.key, ...fields };
    const plan = this.planOf(row);
    if (plan !== undefined) stored.plan = plan;
    if (id === undefined) await ctx.db.insert("rateLimits", stored);
    else await ctx.db.replace("rateLimits", id, stored);
  }

  /**
   * The plan that a row is to store: the rule of the config, without overrides. Only row 0 stores
   * it, if this call or an earlier one brought a config.
   */
  private planOf({ before, after }: KnownRow): string | undefined {
    const { name, key, config } = this.target;
    const { isInline = false, overrides = false } = config;
    if (before?.plan !== undefined || (isInline && after?.shard === 0)) {
      return ruleOf(overrides ? toLimit(name, config, key) : this.limit);
    }
    return undefined;
  }

  /**
   * The first rows of a key, given what would be its only one: with `shards`, it is split at once.
   * What the call took is missing in one part, if that holds it, so that it can be given back there.
   */
  private firstRows(row: Row): Row[] {
    const { limit, now } = this;
    const { capacity } = limit.whole;
    const taken = capacity - row.value;
    const parts = firstRowsFor(limit, taken);
    if (parts === 1) return [row];
    const root = { ...row, parts: 1, into: parts };
    const value = capacity / parts - taken;
    if (value < 0) return [toRow(limit, root, now)];
    const shard = partShard(0, parts - 1);
    return [
      toRow(limit, { ...root, value: capacity }, now),
      toRow(limit, { ...row, shard, parts, value }, now),
    ];
  }

  /** A row of a limit that can split, as it is stored: it is split if it is hot. */
  private withHeat(
    ctx: MutationCtx,
    { before }: KnownRow,
    row: Row,
  ): RowFields {
    const { limit, now } = this;
    // Also shows later calls of this mutation what it has written. (Spreads come last: V8 is slow
    // with objects that grow after a spread.)
    const at = ctx.db.vars.commitTs;
    if (isSplitRow(row)) return { at, ...row };
    const leaf = this.leafOf(row.shard, before);
    const close = closeWrites(leaf.row, now);
    const overlappedAt = this.doesOverlap ? now : leaf.row?.overlappedAt;
    const times = { at, overlappedAt };
    if (close < HEAT.closeWrites) {
      return { ...times, close: close || undefined, ...row };
    }
    const taken = balanceOf(limit, leaf, now).value - row.value;
    // What gives back does not tell what others take. A debt needs no tokens.
    const last = this.mayOwe ? undefined : writeOf(leaf.row!);
    const into = taken > 0 ? partsFor(limit, leaf, taken, last) : 1;
    if (into === 1) return { ...times, close, ...row };
    // The first split is a sign that calls overlap; a caller alone may cause a later one.
    if (row.shard > 0) return { ...times, ...row, usedAt: now, into };
    const rule = ruleOf(limit);
    return { at, overlappedAt: now, ...row, usedAt: now, into, rule };
  }

  /** A row as a leaf, given that the rows above it have been read. */
  private leafOf(shard: number, row: Row | undefined): Leaf {
    let leaf = rootLeaf(shard === 0 ? row : this.known.get(0)?.after);
    for (const nth of pathTo(shard)) {
      if (leaf.row === undefined || !isSplitRow(leaf.row)) break;
      const part = partShard(leaf.shard, nth);
      const stored = part === shard ? row : this.known.get(part)?.after;
      leaf = leafBelow(leaf.row, leaf.parts, part, stored);
    }
    return leaf;
  }

  /** Whether the call is close to another one. If so, it may log advice. */
  private adviseIfClose(): boolean {
    const { limit, now, target } = this;
    const read = [...this.known.values()].flatMap(({ before = [] }) => before);
    const leaves = read.filter((row) => !isSplitRow(row));
    const age = ageOfCloseWrite(limit, leaves, now);
    if (age === undefined) return false;
    const advice = adviceOn(target.config, target.name, age, Math.random);
    if (advice !== undefined) console.warn(advice);
    return true;
  }
}

/** The fields of a stored row. */
type RowFields = Omit<Doc<"rateLimits">, "_id" | "_creationTime" | "name">;

/** One row, present or absent. */
type KnownRow = {
  /** The stored row's id. */
  id: Id<"rateLimits"> | undefined;
  /** The row as it was read. */
  before: Row | undefined;
  /** The row with its changes; `undefined` if it is absent, or to be deleted. */
  after: Row | undefined;
  isChanged: boolean;
};
