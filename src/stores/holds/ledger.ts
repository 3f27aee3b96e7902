import { type Credit, decide, type Decision } from "../../core/decide.js";
import type { Demand } from "../../core/demand.js";
import { parseHoldId } from "../../core/holdId.js";
import type { Phases } from "../../core/phases.js";
import { type Row, toLeaseRow } from "../../core/rows.js";
import type { LimitKey } from "../../core/validators.js";
import type { Doc, Id } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import type { Ledger } from "../ledger.js";

/**
 * The ledger of a concurrency limit: its rows are the leases of one key. `save` writes nothing,
 * since `hold` stores what was taken.
 */
export class LeaseLedger implements Ledger {
  private leases: Lease[] | undefined;
  private readonly taken: Row[] = [];

  constructor(
    private readonly ctx: QueryCtx,
    private readonly limitKey: LimitKey,
    private readonly phases: Phases,
    private readonly now: number,
  ) {}

  async decide(demands: readonly Demand[]): Promise<Decision> {
    const [{ effect }] = this.phases;
    const rows = effect === "unlimited" ? [] : await this.read();
    return decide(this.phases, rows, demands, this.now);
  }

  /** Leases are released, not credited. */
  async credit(): Promise<Credit> {
    return { credited: 0, writes: [] };
  }

  /** They are never split. */
  async sample(): Promise<undefined> {}

  async read(): Promise<Row[]> {
    this.leases ??= await storedLeases(this.ctx, this.limitKey, this.now);
    return [...toLeaseRows(this.leases), ...this.taken];
  }

  look(): Promise<Row[]> {
    return this.read();
  }

  set(rows: readonly Row[]): void {
    this.taken.push(...rows);
  }

  async save(): Promise<{ isClose: boolean }> {
    return { isClose: false };
  }
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

function noHoldError(id: string): Error {
  return new Error(`${id} is not the id of a hold.`);
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
    .withIndex("once", (q) =>
      q.eq("name", name).eq("key", key).eq("once", once).gt("expiresAt", now),
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

/** Gives a lease that has not ended its full length from now. */
export async function renewLease(
  ctx: MutationCtx,
  { _id, expiresAt, config }: Lease,
  now: number,
): Promise<void> {
  const renewedUntil = Math.max(expiresAt, now + config.lease);
  await ctx.db.patch("holds", _id, { expiresAt: renewedUntil });
}
