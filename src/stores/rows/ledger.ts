import type { StoredRefillingConfig } from "../../core/config.js";
import { adviceOn } from "../../core/advice.js";
import type { Credit, Decision } from "../../core/decide.js";
import { type Demand, mayMakeDebt } from "../../core/demand.js";
import type { Phases } from "../../core/phases.js";
import {
  calmOf,
  HEAT,
  mayBeHot,
  fanOutOf,
  firstRowsOf,
} from "../../core/heat.js";
import { ruleOf, toLimit, type Limit } from "../../core/limit.js";
import { isContested } from "../../core/policy.js";
import {
  isUnmigrated,
  balanceOf,
  ageOfCloseWrite,
  rowsAsCounted,
  isUsable,
  lastUsedAt,
  mayOwe,
  rootToStore,
  type Row,
  type SplitRow,
} from "../../core/rows.js";
import {
  childShard,
  isSplitRow,
  type Leaf,
  pathTo,
  rootLeaf,
  type RowRange,
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

/** All rows but row 0. */
const BELOW_ROOT: RowRange = { first: 1, size: Infinity };

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
  /** The `parts` of the calm row that was written; 0 if there was none. */
  private calmParts = 0;
  /** Whether other calls were seen to overlap on the limit. */
  private isContested = false;
  /** Whether the call may take tokens that there are not. */
  private callMayOwe = false;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly target: Target<StoredRefillingConfig>,
    readonly phases: Phases,
    readonly now: number,
  ) {
    this.limit = phases[0].limit;
  }

  get canLook(): boolean {
    return isMutation(this.ctx);
  }

  decide(demands: readonly Demand[], random: () => number): Promise<Decision> {
    this.callMayOwe = demands.some(mayMakeDebt);
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
      const only = { first: shard, size: 1 };
      const doc = await queryRows(this.ctx, this.target, only).unique();
      row = this.remember(shard, doc);
    }
    return row?.after === undefined ? [] : [row.after];
  }

  /**
   * Stale only in a mutation, together with what that has written itself: a query depends on what
   * it reads anyway.
   */
  async look(range?: RowRange): Promise<Row[]> {
    const root = await this.readSplitRoot();
    // A look costs a nested call, more than reading the one row of an unsplit limit.
    const rows = root && (await this.lookAtStored(range));
    return rows ?? this.read();
  }

  noteContested(leaves: readonly Leaf[]): void {
    this.isContested ||= isContested(leaves, this.now);
  }

  set(writes: readonly Row[]): void {
    if (writes.length === 0) return;
    const { limit, now } = this;
    // A key without rows is full, and counts as one row.
    const isUnused = this.isAllRead && this.present().length === 0;
    const rows = isUnused ? firstRowsOf(limit, writes[0]!, now) : writes;
    if (this.toReplace !== undefined) {
      const one = this.known.get(0)!.after;
      this.toReplace = undefined;
      if (one) this.set([rootToStore(limit, one, now)]);
    }
    if (rows.some(({ shard }) => shard === 0)) {
      for (const shard of this.known.keys()) this.change(shard, undefined);
    }
    for (const row of rows) this.change(row.shard, row);
    const root = this.known.get(0)?.after;
    const owes = rows.some(({ shard, value }) => shard > 0 && value < 0);
    // The first debt below row 0 tells others that there may be some.
    if (owes && root && isSplitRow(root) && !mayOwe(root)) {
      this.change(0, { ...root, owingSince: now, contestedAt: now });
    }
  }

  async save(ctx: MutationCtx): Promise<{ isClose: boolean }> {
    const changed = [...this.known.values()].filter((row) => row.isChanged);
    for (const row of changed) await this.write(ctx, row);
    if (this.calmParts > 0) await this.askToShrink(ctx);
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

  /** Reads every stored row except row 0, which has been read. */
  private async readStored(): Promise<void> {
    if (this.isAllRead) return;
    const others = queryRows(this.ctx, this.target, BELOW_ROOT);
    for (const doc of await others.collect()) {
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
  private async lookAtStored(range?: RowRange): Promise<Row[] | null> {
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
    const args = { name, key, range, snapshot: snapshotOf(ctx) };
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

  /** A row of a limit that can split, as it is stored: it is split if it is hot. */
  private withHeat(
    ctx: MutationCtx,
    { before }: KnownRow,
    row: Row,
  ): RowFields {
    const { limit, now } = this;
    // Also shows later calls of this mutation what it has written.
    const at = ctx.db.vars.commitTs;
    // A gathered row starts calm. Of the first rows of a key nothing is known, except that calls are
    // expected to overlap. (Spreads come last: V8 is slow with objects that grow after a spread.)
    if (isSplitRow(row)) {
      const recalled = before
        ? { calm: HEAT.longest, contestedAt: before.contestedAt }
        : { contestedAt: now };
      // Row 0 may be noted on again: the rows below it have rested since it was split.
      return { ...recalled, ...row, at: row.at ?? at };
    }
    const { shard, value } = row;
    const leaf = this.leafOf(shard, before);
    const { parts, parent } = leaf;
    const taken = balanceOf(limit, leaf, now).value - value;
    const calm = calmOf(limit, before ?? parent, parts, taken, now);
    const into =
      (value >= 0 || shard > 0) && mayBeHot(calm)
        ? fanOutOf(limit, leaf, calm, taken, this.callMayOwe, now)
        : undefined;
    // The first split counts as a sign that calls overlap. A caller alone can cause later ones.
    const isFirst = into !== undefined && shard === 0;
    const contestedAt =
      this.isContested || isFirst ? now : (before ?? parent)?.contestedAt;
    if (into !== undefined) {
      const rule = isFirst ? ruleOf(limit) : undefined;
      // Stores no calm: a child that is first written later has rested since this split.
      return { at, contestedAt, ...row, into, rule };
    }
    const isCalm = calm !== undefined && calm > HEAT.shrinkAbove;
    // A calm row whose parent was split long ago.
    if (isCalm && parent && now - lastUsedAt(parent) > HEAT.restMs) {
      this.calmParts = parts;
    }
    return { at, calm, contestedAt, ...row };
  }

  /** A row as a leaf, given that the rows above it have been read. */
  private leafOf(shard: number, row: Row | undefined): Leaf {
    let leaf = rootLeaf(row);
    for (const nth of pathTo(shard)) {
      const parent = this.known.get(leaf.shard)?.after;
      if (parent === undefined || !isSplitRow(parent)) break;
      const { parts } = leaf;
      const child = childShard(leaf.shard, nth);
      leaf = { shard: child, parts: parts * parent.into, row, parent };
    }
    return leaf;
  }

  /** Now and then, if the rows are calm, schedules a job that gathers them. */
  private async askToShrink(ctx: MutationCtx): Promise<void> {
    const { askEvery } = HEAT;
    const share = Math.min(1, this.calmParts / askEvery) / askEvery;
    if (Math.random() < share) {
      await ctx.scheduler.runAfter(0, internal.jobs.shrink, this.target);
    }
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
