import type { StoredRefillingConfig } from "../../core/config.js";
import { type Credit, decide, type Decision } from "../../core/decide.js";
import { type Demand, mayMakeDebt } from "../../core/demand.js";
import { giveBack, stampAfter, withHold } from "../../core/held.js";
import type { Phases } from "../../core/phases.js";
import type { Row, View } from "../../core/view.js";
import type { Id } from "../../component/_generated/dataModel.js";
import type { MutationCtx } from "../../component/_generated/server.js";
import { storeRow } from "../row/stored.js";
import { canSplit, spreadIfHot } from "../spread/split.js";
import type { KeyState, Place, Saved, Target } from "../state.js";
import { adviseIfClose } from "./advice.js";
import { balanceOf, toRow, viewOfRow } from "../row/row.js";

/** The row of a limit key that is not split, in one call. */
export class OneRow implements KeyState {
  private current: View;
  /** The row to write. */
  private changed: Row | undefined;
  private mayOwe = false;

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

  async give(
    count: number,
    _random?: () => number,
    place?: Place,
  ): Promise<Credit> {
    const { current, now } = this;
    const [{ limit }] = this.phases;
    if (place !== undefined) {
      const state = balanceOf(limit, this.changed ?? this.stored.row, now);
      const { given, held } = giveBack(state.held, place.since, count, true);
      const value = state.value + given;
      const writes =
        given > 0 ? [toRow(limit, { ...state, value, held }, now)] : [];
      return { credited: given, writes };
    }
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

  async save(ctx: MutationCtx, isHold: boolean = false): Promise<Saved> {
    const { target, stored, changed, mayOwe, now } = this;
    const [{ limit }] = this.phases;
    if (changed === undefined) return { isClose: false };
    this.changed = undefined;
    const since = stampAfter(changed.held, now, 0);
    if (isHold) {
      const room = limit.whole.capacity - changed.value;
      changed.held = withHold(changed.held, since, room);
    }
    const isStamped = canSplit(limit);
    const rows = spreadIfHot(limit, stored.row, changed, mayOwe, now);
    for (const row of rows) {
      const before = row.shard === 0 ? stored : {};
      await storeRow(ctx, target, limit, before, row, isStamped);
    }
    // A limit that can split needs no advice about close calls.
    const mayBeClose = stored.row !== undefined && !isStamped;
    return {
      isClose: mayBeClose && adviseIfClose(target, limit, stored.row!, now),
      place: isHold ? { since, shard: rows.at(-1)!.shard } : undefined,
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
