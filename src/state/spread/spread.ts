import type { StoredRefillingConfig } from "../../core/config.js";
import {
  type Credit,
  decide,
  type Decision,
  isRefusedByBan,
} from "../../core/decide.js";
import { type Demand, mayMakeDebt } from "../../core/demand.js";
import { stampAfter, withHold } from "../../core/held.js";
import { type Limit, partOfLimit } from "../../core/limit.js";
import type { Phases } from "../../core/phases.js";
import type { Row, View } from "../../core/view.js";
import { internal } from "../../component/_generated/api.js";
import type { Doc, Id } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import { parseRow, parseRows, queryRows, storeRow } from "../row/stored.js";
import { lookStaleIfPossible, snapshotOf } from "../stale.js";
import {
  isMutation,
  type KeyState,
  type Place,
  type Saved,
  type Target,
} from "../state.js";
import { giveToSome } from "./give.js";
import {
  allBalances,
  areIdle,
  balanceOfLeaf,
  gatheredIfOwing,
  given,
  isUnmigrated,
  isUsable,
  leavesOf,
  rootToStore,
  rowsAsCounted,
  viewOfRows,
} from "./rows.js";
import { doOverlap, isBusy } from "./rules.js";
import { canSplit, splitIfHot, spreadIfHot } from "./split.js";
import { takeFromSome } from "./take.js";
import {
  isSplitRow,
  type Leaf,
  leafBelow,
  partShard,
  pathTo,
  rootLeaf,
} from "./tree.js";
import { readSample, type Tree } from "./walk.js";

/** A limit key that is split, in one call. */
export interface SplitLimit extends Tree {
  readonly phases: Phases;
  /** The limit of the first phase. */
  readonly limit: Limit;
  readonly now: number;
  /** Looks at all rows, without a read dependency where possible. */
  look(): Promise<Seen>;
  /** Notes whether these leaves show that calls overlap, for the rows that are written. */
  noteOverlap(leaves: readonly Leaf[]): void;
  /** Notes in row 0 that a single row may owe while others hold tokens. */
  noteDebt(): void;
}

/** What a look shows. */
export type Seen = {
  rows: readonly Row[];
  leaves: readonly Leaf[];
  isBusy: boolean;
};

/**
 * The rows of one limit key, each replaced in place. Each row that is read is a read dependency:
 * the transaction conflicts if another one writes it meanwhile.
 *
 * If the stored rows are split or counted differently from the limit now, row 0 is what they add up
 * to, and the first change replaces them with it. `view` and `rows` still show them as stored.
 */
export class Spread implements KeyState {
  /** The rows read so far, by shard, with their changes. */
  private readonly known = new Map<number, KnownRow>();
  private isAllRead = false;
  /** The stored rows, if row 0 is to replace them all. */
  private toReplace: Row[] | undefined;
  /** Whether all rows are idle, so that the first change begins anew. */
  private isNew = false;
  private readonly limit: Limit;
  /** Whether the call may take tokens that there are not. */
  private mayOwe = false;
  /** Whether rows have shown that calls overlap. */
  private doOverlap = false;
  /** The rows from which tokens were taken, or to which they were given. */
  private written: readonly number[] = [];

  private constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly target: Target<StoredRefillingConfig>,
    private readonly phases: Phases,
    private readonly now: number,
  ) {
    this.limit = phases[0].limit;
  }

  /** Opens a key by the first of its rows; reads the others if all are to be replaced. */
  static async open(
    ctx: QueryCtx | MutationCtx,
    target: Target<StoredRefillingConfig>,
    phases: Phases,
    now: number,
    first: Doc<"rateLimits">,
  ): Promise<Spread> {
    const spread = new Spread(ctx, target, phases, now);
    const row0 = first.shard === 0 ? first : null;
    const { after: root } = spread.remember(0, row0);
    if (isUnmigrated(root) || !isUsable(spread.limit, root, now)) {
      await spread.gather();
    }
    return spread;
  }

  get plan(): KeyState["plan"] {
    const { plan, ts } = this.known.get(0)?.before ?? {};
    return plan === undefined ? undefined : { rule: plan, ts: ts! };
  }

  async take(
    demands: readonly Demand[],
    random: () => number,
  ): Promise<Decision> {
    const { phases, now } = this;
    this.mayOwe = demands.some(mayMakeDebt);
    if (isRefusedByBan(phases[0], demands)) {
      return decide(phases, await this.glance(), demands, now);
    }
    const split = this.asSplit();
    const [demand, ...others] = demands;
    const mayNeedFew = demand && demand.count >= 0 && demand.leave === 0;
    const decision =
      split && mayNeedFew && others.length === 0
        ? await takeFromSome(split, demand, random)
        : undefined;
    return decision ?? decide(phases, await this.view(), demands, now);
  }

  async give(
    count: number,
    random: () => number,
    place?: Place,
  ): Promise<Credit> {
    const { limit, now } = this;
    const split = this.asSplit();
    const some = split && (await giveToSome(split, count, random, place));
    if (some) return some;
    const all = gatheredIfOwing(allBalances(limit, await this.rows(), now));
    return given(limit, all, count, place, now);
  }

  async view(): Promise<View> {
    return viewOfRows(await this.rows());
  }

  async glance(): Promise<View> {
    return viewOfRows(await this.lookAtRows());
  }

  async rows(): Promise<Row[]> {
    await this.readAll();
    return this.toReplace ?? this.present();
  }

  async sample(
    size: number,
    random: () => number,
  ): Promise<Leaf[] | undefined> {
    const split = this.asSplit();
    return split && readSample(split, size, random);
  }

  put(writes: readonly Row[]): void {
    if (writes.length === 0) return;
    const { limit, now } = this;
    if (this.toReplace !== undefined) {
      const one = this.known.get(0)?.after;
      this.toReplace = undefined;
      if (one) this.put([rootToStore(limit, one, now)]);
    }
    if (writes.some(({ shard }) => shard === 0)) {
      for (const shard of this.known.keys()) this.change(shard, undefined);
    }
    for (const row of writes) this.change(row.shard, row);
    this.written = writes.map(({ shard }) => shard);
  }

  async save(ctx: MutationCtx, isHold: boolean = false): Promise<Saved> {
    const { target, limit, isNew, mayOwe, now } = this;
    const place = isHold ? this.hold() : undefined;
    const first = this.known.get(0);
    if (isNew && first?.isChanged && first.after !== undefined) {
      this.isNew = false;
      const { after } = first;
      const rows = spreadIfHot(limit, undefined, after, mayOwe, now);
      for (const row of rows) this.change(row.shard, row);
      if (place !== undefined) place.shard = rows.at(-1)!.shard;
    }
    for (const [shard, row] of this.known) {
      const { id, before, after, isChanged } = row;
      if (!isChanged) continue;
      row.isChanged = false;
      if (after !== undefined) {
        const stored = isNew ? after : this.asStored(shard, before, after);
        const isStamped = canSplit(limit);
        await storeRow(
          ctx,
          target,
          limit,
          { id, row: before },
          stored,
          isStamped,
        );
      } else if (id !== undefined) await ctx.db.delete("rateLimits", id);
    }
    return { isClose: false, place };
  }

  /** Notes a hold in the rows that were written. */
  private hold(): Place {
    const rows = this.written.map((shard) => this.known.get(shard)!);
    const stamps = rows.map(({ after }) =>
      stampAfter(after!.held, this.now, after!.shard),
    );
    const since = Math.max(...stamps);
    for (const { before, after } of rows) {
      const { parts } = this.leafOf(after!.shard, before);
      const room = partOfLimit(this.limit, parts).capacity - after!.value;
      after!.held = withHold(after!.held, since, room);
    }
    const [shard, ...others] = this.written;
    return { since, shard: others.length === 0 ? shard : undefined };
  }

  /** This key, if its rows count as they are. */
  private asSplit(): SplitLimit | undefined {
    const { phases, limit, now } = this;
    const root = this.known.get(0)?.after;
    if (root === undefined || !isSplitRow(root)) return undefined;
    return {
      ...{ phases, limit, now, root },
      readRow: (shard) => this.readRow(shard),
      look: () => this.look(),
      noteOverlap: (leaves) => this.noteOverlap(leaves),
      noteDebt: () => {
        if (!root.owes) this.change(0, { ...root, owes: true });
      },
    };
  }

  private noteOverlap(leaves: readonly Leaf[]): void {
    this.doOverlap ||= doOverlap(leaves, this.now);
  }

  private async look(): Promise<Seen> {
    const { limit, now } = this;
    const rows = await this.lookAtRows();
    const leaves = leavesOf(limit, rows, now);
    this.noteOverlap(leaves);
    return { rows, leaves, isBusy: isBusy(leaves, now) };
  }

  private async readRow(shard: number): Promise<Row | undefined> {
    const known = this.known.get(shard);
    if (known !== undefined) return known.after;
    if (this.isAllRead) return undefined;
    const doc = await queryRows(this.ctx, this.target, shard).unique();
    return this.remember(shard, doc).after;
  }

  /** Reads every stored row. */
  private async readAll(): Promise<void> {
    if (this.isAllRead) return;
    for (const doc of await queryRows(this.ctx, this.target).collect()) {
      if (!this.known.has(doc.shard)) this.remember(doc.shard, doc);
    }
    this.isAllRead = true;
    const isChanged = [...this.known.values()].some((row) => row.isChanged);
    if (!isChanged && areIdle(this.present(), this.now)) this.beginAnew();
  }

  /** Shows no row any more: the first change replaces those that are stored. */
  private beginAnew(): void {
    this.isNew = true;
    this.toReplace = [];
    for (const row of this.known.values()) {
      row.before = undefined;
      row.after = undefined;
    }
  }

  /** Reads every stored row, and shows them as one row 0, which is to replace them. */
  private async gather(): Promise<void> {
    await this.readAll();
    if (this.isNew) return;
    this.toReplace = this.present();
    const [one] = rowsAsCounted(this.limit, this.toReplace, this.now);
    for (const row of this.known.values()) row.after = undefined;
    this.known.get(0)!.after = one;
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

  private change(shard: number, row: Row | undefined): void {
    const { id, before } = this.known.get(shard) ?? {};
    this.known.set(shard, { id, before, after: row, isChanged: true });
  }

  /**
   * All rows. Stale only in a mutation, together with what that has written itself: a query depends
   * on what it reads anyway.
   */
  private async lookAtRows(): Promise<readonly Row[]> {
    return (await this.lookAtStored()) ?? this.rows();
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
      .withIndex("key", (q) =>
        q.eq("key", key).eq("name", name).eq("at", ctx.db.vars.commitTs),
      )
      .collect();
    const own = parseRows(written);
    if (own.some(({ shard }) => shard === 0)) return null;
    const args = { name, key, snapshot: snapshotOf(ctx) };
    const rows = await lookStaleIfPossible(
      ctx,
      internal.looks.storedRows,
      args,
    );
    if (rows === null) return null;
    // With what this transaction and this call have changed.
    const all = new Map<number, Row | undefined>();
    for (const row of [...rows, ...own]) all.set(row.shard, row);
    for (const [shard, { after, isChanged }] of this.known) {
      if (isChanged) all.set(shard, after);
    }
    return [...all.values()].filter((row) => row !== undefined);
  }

  /** A changed row as it is stored: it is split if it is hot. */
  private asStored(shard: number, before: Row | undefined, row: Row): Row {
    const { limit, now, mayOwe } = this;
    if (isSplitRow(row) || !canSplit(limit)) return row;
    const leaf = this.leafOf(shard, before);
    const taken = balanceOfLeaf(limit, leaf, now).value - row.value;
    const overlappedAt = this.doOverlap ? now : undefined;
    const written = { ...row, overlappedAt };
    return splitIfHot(limit, leaf, written, { taken, mayOwe, now });
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
}

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
