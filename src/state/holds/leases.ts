import { type Credit, decide, type Decision } from "../../core/decide.js";
import type { Demand } from "../../core/demand.js";
import { noHoldError } from "../../core/errors.js";
import { parseHoldId } from "../../core/holdId.js";
import type { Phases } from "../../core/phases.js";
import { sum } from "../../core/sum.js";
import type { LimitKey } from "../../core/validators.js";
import type { Row, View } from "../../core/view.js";
import type { Doc, Id } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import type { KeyState } from "../state.js";

/**
 * The leases of one key of a concurrency limit, in one call. `save` writes nothing, since `hold`
 * stores what was taken.
 */
export class Leases implements KeyState {
  private stored: Lease[] | undefined;
  private readonly taken: Row[] = [];
  readonly plan = undefined;

  constructor(
    private readonly ctx: QueryCtx,
    private readonly limitKey: LimitKey,
    private readonly phases: Phases,
    private readonly now: number,
  ) {}

  async take(demands: readonly Demand[]): Promise<Decision> {
    return decide(this.phases, await this.view(), demands, this.now);
  }

  /** Leases are released, not given back. */
  async give(): Promise<Credit> {
    return { credited: 0, writes: [] };
  }

  async rows(): Promise<Row[]> {
    this.stored ??= await storedLeases(this.ctx, this.limitKey, this.now);
    return [...toLeaseRows(this.stored), ...this.taken];
  }

  async view(): Promise<View> {
    return viewOfLeases(await this.rows());
  }

  glance(): Promise<View> {
    return this.view();
  }

  async sample(): Promise<undefined> {}

  put(rows: readonly Row[]): void {
    this.taken.push(...rows);
  }

  async save(): Promise<{ isClose: boolean }> {
    return { isClose: false };
  }
}

/**
 * What leases leave of a concurrency limit; negative if the capacity was lowered below what is
 * held. By the clock's time even if the clock stepped back: a lease that had ended is then held
 * again.
 */
export function viewOfLeases(leases: readonly Row[]): View {
  const isHeld = ({ endsAt = Infinity }: Row, time: number) => time < endsAt;
  const balance: View["balance"] = ({ whole }, time) => {
    const held = leases.filter((lease) => isHeld(lease, time));
    return sum([whole.capacity, ...held.map(({ value }) => value)]);
  };
  return {
    balance,
    arrival: (_, __, from) =>
      Math.min(
        ...leases.flatMap(({ endsAt = Infinity }) =>
          endsAt > from ? endsAt : [],
        ),
      ),
    isIdle: () => false,
    leaving(limit, left, now) {
      const count = balance(limit, now) - left;
      const lease = toLeaseRow(count, now, now + limit.period);
      return { writes: [lease], view: viewOfLeases([...leases, lease]) };
    },
  };
}

/** A lease as a row of a concurrency limit: it takes `count` from the capacity until it ends. */
function toLeaseRow(count: number, ts: number, endsAt: number): Row {
  return { shard: 0, value: -count, ts, endsAt };
}

/** Leases as rows, without those that took nothing: for an unlimited key, or in a dry run. */
export function toLeaseRows(leases: readonly Lease[]): Row[] {
  return leases.flatMap((lease) =>
    lease.taken === undefined
      ? []
      : [toLeaseRow(lease.taken, leasedAt(lease), lease.expiresAt)],
  );
}

/** A hold of a concurrency limit. */
type Lease = Doc<"holds"> & {
  config: Extract<Doc<"holds">["config"], { kind: "concurrency" }>;
};

export function isLease(hold: Doc<"holds">): hold is Lease {
  return hold.config.kind === "concurrency";
}

/** When a lease was taken, or last renewed. */
function leasedAt({ expiresAt, config }: Lease): number {
  return expiresAt - config.lease;
}

/**
 * The leases of a limit key that have not ended. The read dependency includes leases that others
 * add meanwhile, so that no two transactions take the same tokens.
 */
export async function storedLeases(
  ctx: QueryCtx,
  { name, key }: LimitKey,
  now: number,
): Promise<Lease[]> {
  const holds = await ctx.db
    .query("holds")
    .withIndex("name", (q) =>
      q.eq("name", name).eq("key", key).gt("expiresAt", now),
    )
    .collect();
  return holds.filter(isLease);
}

/**
 * The stored hold with this id; null if it was settled, released or vacuumed.
 *
 * @throws An `Error` if the id is not that of a hold.
 */
export async function findHold(
  ctx: MutationCtx,
  id: string,
): Promise<Doc<"holds"> | null> {
  const hold = await ctx.db.get("holds", toDocId(ctx, id));
  if (hold === null || hold.name === parseHoldId(id).name) return hold;
  throw noHoldError(id);
}

export function toDocId(ctx: MutationCtx, id: string): Id<"holds"> {
  const { docId, name } = parseHoldId(id);
  const known = ctx.db.normalizeId("holds", docId);
  if (known === null || name === undefined) throw noHoldError(id);
  return known;
}

/**
 * Ends a hold, unless it has ended, without giving anything back. That of a scheduled function stays
 * until it expires, so that the function can be cancelled.
 */
export async function voidHold(
  ctx: MutationCtx,
  { _id, scheduledId, isSettled }: Doc<"holds">,
): Promise<void> {
  if (isSettled) return;
  if (scheduledId === undefined) await ctx.db.delete("holds", _id);
  else await ctx.db.patch("holds", _id, { isSettled: true });
}

/* Holds that go on: a lease that is renewed, a hold that is asked for again. */

/** The holds of a limit key with this `once` that have not expired, the oldest first. */
export function holdsWithOnce(
  ctx: QueryCtx,
  { name, key }: LimitKey,
  once: string,
  now: number,
): Promise<Doc<"holds">[]> {
  return ctx.db
    .query("holds")
    .withIndex("key", (q) =>
      q.eq("key", key).eq("name", name).eq("once", once).gt("expiresAt", now),
    )
    .collect();
}

/**
 * Whether a lease has not ended. By a clock ahead of ours it may have ended, and another lease may
 * hold its tokens.
 */
export async function isRunning(
  ctx: QueryCtx,
  lease: Lease,
  now: number,
): Promise<boolean> {
  const others = await storedLeases(ctx, lease, now);
  return lease.expiresAt > Math.max(now, ...others.map(leasedAt));
}

/** Until when a lease that has not ended lasts if it is renewed now. */
export function renewedUntil(
  { expiresAt, config }: Lease,
  now: number,
): number {
  return Math.max(expiresAt, now + config.lease);
}
