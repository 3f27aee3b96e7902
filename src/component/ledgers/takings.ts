import type { State } from "../../core/bucket.js";
import {
  baseOf,
  ruleOf,
  stateOf,
  type Left,
  type Taking,
} from "../../core/chain.js";
import type { AppendingConfig } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import { holdings, toRow, total, type Row } from "../../core/rows.js";
import { internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import { isMutation, type Ledger, type Named } from "./ledger.js";
import { lookStale } from "./look.js";
import { ownTaking, readTakings, takingAt, toTaking } from "./storedTakings.js";

/**
 * One of so many records schedules housekeeping: more of those that leave a limit low. There
 * denials follow, and each looks at what was taken beside each other.
 */
const SWEEP_EVERY = { usual: 16, low: 6 };

/** A limit is low with less than this share of its capacity. */
const LOW_SHARE = 1 / 4;

/** Where so many records have to be looked at, one is added that has seen them all. */
const CHECKPOINT_FROM = 16;

/**
 * What is taken from one limit and key, appended record by record. A mutation sees what
 * others wrote in a stale snapshot only, so that it conflicts with nobody, and what it wrote
 * itself by the placeholder of its commit timestamp.
 */
export class Takings implements Ledger {
  private isRead = false;
  /** What this transaction wrote before this call. */
  private own: Doc<"takings"> | undefined;
  private met: Taking[] = [];
  private rows: Row[] = [];
  private change: { count: number; reset: boolean } | undefined;

  constructor(
    private readonly ctx: QueryCtx | MutationCtx,
    private readonly account: Named<AppendingConfig>,
    private readonly limit: Limit,
    private readonly now: number,
  ) {}

  async look(): Promise<Row[]> {
    if (!this.isRead) await this.read();
    this.isRead = true;
    return this.rows;
  }

  all(): Promise<Row[]> {
    return this.look();
  }

  async get(): Promise<Row | undefined> {
    const [row] = await this.look();
    return row;
  }

  set(rows: readonly Row[]): void {
    const [row] = rows;
    if (row === undefined) return;
    const { count, reset } = this.change ?? { count: 0, reset: false };
    const before = total(holdings(this.limit, this.rows, this.now));
    this.change = { count: count + before - row.value, reset };
    this.rows = [row];
  }

  async reset(): Promise<void> {
    await this.look();
    this.change = { count: 0, reset: true };
    this.rows = [];
  }

  async save(ctx: MutationCtx): Promise<void> {
    const { change, own, account } = this;
    if (change === undefined) return;
    this.change = undefined;
    const state = this.state();
    if (own === undefined) {
      await this.append(ctx, change, state);
      const isLow = state.value < LOW_SHARE * this.limit.whole.capacity;
      const every = isLow ? SWEEP_EVERY.low : SWEEP_EVERY.usual;
      if (Math.random() * every < 1) {
        await ctx.scheduler.runAfter(0, internal.sweep.sweep, account);
      }
      return;
    }
    const { _id } = own;
    await ctx.db.patch("takings", _id, {
      ...state,
      rule: ruleOf(this.limit),
      count: change.reset ? change.count : own.count + change.count,
      ...(change.reset && { reset: true }),
    });
  }

  /**
   * Where much has to be looked at, adds a record that has seen all of it.
   *
   * @returns Up to where no call needs the records: behind the newest one that some record
   * has seen.
   */
  async tidy(ctx: MutationCtx): Promise<bigint | undefined> {
    await this.look();
    if (this.met.length === 0) return undefined;
    // A config that is not the records' own, such as an old one, must not decide what is left.
    const present = ruleOf(this.limit);
    const isOfThisRule = this.met.every(({ rule }) => rule === present);
    const { at, seen } = baseOf(this.met);
    const isLong = this.met.length >= CHECKPOINT_FROM;
    if (isLong && isOfThisRule && at !== undefined) {
      await this.checkpoint(ctx, at);
    }
    return seen;
  }

  /**
   * Many sweeps may run at once, as when the scheduler comes back. All write the record that
   * they start from, so that one adds a checkpoint, and the others find it when they are retried.
   */
  private async checkpoint(ctx: MutationCtx, at: bigint): Promise<void> {
    const base = await takingAt(ctx, this.account, at);
    if (base === null) return;
    await ctx.db.patch("takings", base._id, {});
    await this.append(ctx, { count: 0, reset: false }, this.state());
  }

  private async append(
    ctx: MutationCtx,
    { count, reset }: { count: number; reset: boolean },
    state: Left,
  ): Promise<void> {
    const { name, key } = this.account;
    await ctx.db.insert("takings", {
      name,
      key,
      at: ctx.db.vars.commitTs,
      seen: this.met[0]?.at ?? 0n,
      rule: ruleOf(this.limit),
      count,
      ...(reset && { reset }),
      ...state,
    });
  }

  /** What is left, as it is stored. */
  private state(): Left {
    const { limit, now } = this;
    const held = holdings(limit, this.rows, now)[0]!;
    const written = toRow(limit, held, now);
    const state = this.rows[0] ?? written;
    const { value, ts, nextAt, fullAt = written.fullAt! } = state;
    return { value, ts, nextAt, fullAt };
  }

  private async read(): Promise<void> {
    const { ctx, limit } = this;
    const { name, key } = this.account;
    if (isMutation(ctx)) {
      const own = await ownTaking(ctx, this.account);
      if (own !== null) {
        this.own = own;
        this.rows = toRows(stateOf(limit, [toTaking(own)]));
        return;
      }
    }
    const seen = isMutation(ctx)
      ? await lookStale(ctx, internal.lookAtTakings.look, { name, key })
      : await readTakings(ctx, name, key);
    this.met = seen.met;
    // Without a record the limit is as its rows say, from before it had this mode.
    this.rows =
      seen.met.length === 0 ? seen.rows : toRows(stateOf(limit, seen.met));
  }
}

function toRows(state: State | undefined): Row[] {
  return state === undefined ? [] : [{ shard: 0, ...state }];
}
