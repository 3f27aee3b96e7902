import type { StoredRefillingConfig } from "../../core/config.js";
import { type Credit, decide, type Decision } from "../../core/decide.js";
import { type Demand, mayMakeDebt } from "../../core/demand.js";
import type { Phases } from "../../core/phases.js";
import type { Row, View } from "../../core/view.js";
import type { Id } from "../../component/_generated/dataModel.js";
import type { MutationCtx } from "../../component/_generated/server.js";
import { storeRow } from "../row/stored.js";
import { canSplit, spreadIfHot } from "../spread/split.js";
import type { KeyState, Target } from "../state.js";
import { adviseIfClose } from "./advice.js";
import { viewOfRow } from "../row/row.js";

/** The row of a limit key that is not split, in one call. */
export class OneRow implements KeyState {
  private current: View;
  /** The row to write. */
  private changed: Row | undefined;
  private mayOwe = false;
  readonly place = undefined;

  constructor(
    private readonly target: Target<StoredRefillingConfig>,
    private readonly phases: Phases,
    private readonly now: number,
    /** The row as it was read; absent for a key that has none. */
    private readonly stored: { id?: Id<"rateLimits">; row?: Row | undefined },
  ) {
    this.current = viewOfRow(stored.row);
  }

  get plan(): KeyState["plan"] {
    const { row } = this.stored;
    return row?.plan === undefined ? undefined : { rule: row.plan, ts: row.ts };
  }

  async take(demands: readonly Demand[]): Promise<Decision> {
    this.mayOwe = demands.some(mayMakeDebt);
    return decide(this.phases, this.current, demands, this.now);
  }

  async give(count: number): Promise<Credit> {
    const { current, now } = this;
    const [{ limit }] = this.phases;
    const balance = current.balance(limit, now);
    const { capacity } = limit.whole;
    const credited = Math.min(count, capacity - balance);
    if (credited <= 0) return { credited: 0, writes: [] };
    const left = Math.min(balance + count, capacity);
    return { credited, writes: current.leaving(limit, left, now).writes };
  }

  put([row]: readonly Row[]): void {
    if (row === undefined) return;
    this.changed = row;
    this.current = viewOfRow(row);
  }

  async save(ctx: MutationCtx): Promise<{ isClose: boolean }> {
    const { target, stored, changed, mayOwe, now } = this;
    const [{ limit }] = this.phases;
    if (changed === undefined) return { isClose: false };
    this.changed = undefined;
    const isStamped = canSplit(limit);
    for (const row of spreadIfHot(limit, stored.row, changed, mayOwe, now)) {
      const before = row.shard === 0 ? stored : {};
      await storeRow(ctx, target, limit, before, row, isStamped);
    }
    // A limit that can split needs no advice about close calls.
    const mayBeClose = stored.row !== undefined && !isStamped;
    return {
      isClose: mayBeClose && adviseIfClose(target, limit, stored.row!, now),
    };
  }

  async view(): Promise<View> {
    return this.current;
  }

  glance(): Promise<View> {
    return this.view();
  }

  async rows(): Promise<Row[]> {
    const row = this.changed ?? this.stored.row;
    return row === undefined ? [] : [row];
  }

  async sample(): Promise<undefined> {}
}
