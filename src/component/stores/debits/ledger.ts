import type { AsynchronousConfig } from "../../../core/config.js";
import { ruleOf, type Limit } from "../../../core/limit.js";
import { baseOf, isOfOtherRule, rowOf } from "../../../core/replay.js";
import {
  rowsAsCounted,
  allBalances,
  type Row,
  toRow,
  total,
} from "../../../core/rows.js";
import type { Debit, LimitKey } from "../../../core/validators.js";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { isMutation, type Ledger, type Target } from "../ledger.js";
import { lookStale } from "../stale.js";
import { debitAt, ownDebit, readDebitsOrRows, toDebit } from "./stored.js";

/**
 * On average, one in this many debits schedules `compact`. More often when the limit is low:
 * denials will follow, and each looks at all debits that were made at the same time.
 */
const COMPACT_EVERY = { usual: 16, low: 6 };

/** A limit is low if it holds less than this share of its capacity. */
const LOW_SHARE = 1 / 4;

/** With this many debits to look at, `compact` adds a checkpoint that has seen them all. */
const CHECKPOINT_FROM = 16;

/**
 * The ledger of an asynchronous limit: each transaction appends one debit. A mutation sees the
 * debits of others only in a stale snapshot, so that it conflicts with nobody. It finds its own
 * debit by the placeholder of its commit timestamp.
 */
export class DebitLedger implements Ledger {
  private isRead = false;
  /** The debit that this transaction wrote before this call. */
  private own: Doc<"debits"> | undefined;
  private debits: Debit[] = [];
  private rows: Row[] = [];
  private change: Change | undefined;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly target: Target<AsynchronousConfig>,
    private readonly limit: Limit,
    private readonly now: number,
  ) {}

  /** It is never split. */
  async readSplitRoot(): Promise<undefined> {}

  async read(): Promise<Row[]> {
    if (!this.isRead) await this.readState();
    this.isRead = true;
    return this.rows;
  }

  look(): Promise<Row[]> {
    return this.read();
  }

  set(rows: readonly Row[]): void {
    const [row] = rows;
    if (row === undefined) return;
    const { count, reset } = this.change ?? { count: 0, reset: false };
    const before = total(allBalances(this.limit, this.rows, this.now));
    this.change = { count: count + before - row.value, reset };
    this.rows = [row];
  }

  /** Debits never conflict, so no call is close. */
  async save(ctx: MutationCtx): Promise<{ isClose: boolean }> {
    const { change } = this;
    this.change = undefined;
    if (change !== undefined) await this.write(ctx, change);
    return { isClose: false };
  }

  /** Appends a debit, or changes the one that this transaction has written. */
  private async write(ctx: MutationCtx, change: Change): Promise<void> {
    const { own, target } = this;
    const state = this.state();
    if (own !== undefined) {
      await ctx.db.patch("debits", own._id, {
        ...state,
        rule: ruleOf(this.limit),
        count: change.reset ? change.count : own.count + change.count,
        ...(change.reset && { reset: true }),
      });
      return;
    }
    await this.append(ctx, change, state);
    const isLow = state.value < LOW_SHARE * this.limit.whole.capacity;
    const every = isLow ? COMPACT_EVERY.low : COMPACT_EVERY.usual;
    if (Math.random() * every < 1) {
      await ctx.scheduler.runAfter(0, internal.compact.compact, target);
    }
  }

  async reset(ctx: MutationCtx): Promise<void> {
    await this.read();
    this.change = { count: 0, reset: true };
    this.rows = [];
    await this.save(ctx);
  }

  /**
   * Adds a checkpoint where calls have to look at many debits.
   *
   * @returns The commit up to which no call needs the debits; undefined if there are none.
   */
  async compact(ctx: MutationCtx): Promise<bigint | undefined> {
    await this.read();
    if (this.debits.length === 0) return undefined;
    // A checkpoint under another rule than the debits' own, such as that of an outdated config,
    // would change the balance.
    const isOneRule = this.debits.every(
      (debit) => debit.rule && !isOfOtherRule(this.limit, debit),
    );
    const { at, seen } = baseOf(this.debits);
    const isLong = this.debits.length >= CHECKPOINT_FROM;
    if (isLong && isOneRule && at !== undefined) await this.checkpoint(ctx, at);
    return seen;
  }

  /**
   * Many jobs may run at once, for example when the scheduler was down and comes back. All of them
   * patch the base, so that they conflict: one adds a checkpoint, and the others find it when they
   * are retried.
   */
  private async checkpoint(ctx: MutationCtx, at: bigint): Promise<void> {
    const base = await debitAt(ctx, this.target, at);
    if (base === null) return;
    await ctx.db.patch("debits", base._id, {});
    await this.append(ctx, { count: 0, reset: false }, this.state());
  }

  private async append(
    ctx: MutationCtx,
    { count, reset }: Change,
    state: DebitState,
  ): Promise<void> {
    const { name, key } = this.target;
    await ctx.db.insert("debits", {
      name,
      key,
      at: ctx.db.vars.commitTs,
      seen: this.debits[0]?.at ?? 0n,
      rule: ruleOf(this.limit),
      count,
      ...(reset && { reset }),
      ...state,
    });
  }

  /** The balance, as it is stored. */
  private state(): DebitState {
    const { limit, now } = this;
    const balance = allBalances(limit, this.rows, now)[0]!;
    const written = toRow(limit, balance, now);
    const state = this.rows[0] ?? written;
    const { value, ts, nextAt, usedAt, fullAt = written.fullAt! } = state;
    return { value, ts, nextAt, usedAt, fullAt };
  }

  private async readState(): Promise<void> {
    const { ctx, limit } = this;
    const { name, key } = this.target;
    if (isMutation(ctx)) {
      const own = await ownDebit(ctx, this.target);
      if (own !== null) {
        this.own = own;
        this.rows = toRows(rowOf(limit, [toDebit(own)]));
        return;
      }
    }
    const seen = isMutation(ctx)
      ? await lookStale(ctx, internal.lookAtDebits.debits, { name, key })
      : await readDebitsOrRows(ctx, name, key);
    this.debits = seen.debits;
    // Without debits, the limit still has the state of its rows, from before it was asynchronous.
    this.rows =
      seen.debits.length === 0
        ? [...rowsAsCounted(limit, seen.rows, this.now)]
        : toRows(rowOf(limit, seen.debits));
  }
}

function toRows(row: Row | undefined): Row[] {
  return row === undefined ? [] : [row];
}

/** What this call takes; with `reset`, from a limit that it made full. */
type Change = { count: number; reset: boolean };

/** The balance that a debit leaves. */
type DebitState = Pick<Debit, "value" | "ts" | "nextAt" | "usedAt" | "fullAt">;

/**
 * The most debits of a key to delete in one transaction, far below Convex's limit of 16,000. After
 * that many, the vacuum starts no further key.
 */
export const DELETED_AT_ONCE = 1000;

/** How many debits were deleted, and whether there are more to delete. */
export type Deletion = { deleted: number; isMore: boolean };

/** Deletes the debits of a limit key up to a commit. */
export async function deleteUpTo(
  ctx: MutationCtx,
  { name, key }: LimitKey,
  at: bigint,
): Promise<Deletion> {
  const args = { name, key, at, most: DELETED_AT_ONCE };
  const { ids, isMore } = await lookStale(
    ctx,
    internal.compact.debitsUpTo,
    args,
  );
  for (const id of ids) {
    // Another job may have deleted it since the snapshot.
    const doc = await ctx.db.get("debits", id);
    if (doc !== null) await ctx.db.delete("debits", id);
  }
  return { deleted: ids.length, isMore };
}
