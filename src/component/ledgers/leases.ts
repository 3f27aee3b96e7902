import { toLease, type Row } from "../../core/rows.js";
import type { Doc } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";
import type { Ledger } from "./ledger.js";

/** A hold of a limit on what runs at once. */
export type Lease = Doc<"holds"> & {
  config: Extract<Doc<"holds">["config"], { kind: "concurrency" }>;
};

export function isLease(hold: Doc<"holds">): hold is Lease {
  return hold.config.kind === "concurrency";
}

/** When a lease was taken, or last renewed. */
export function leasedAt({ expiresAt, config }: Lease): number {
  return expiresAt - config.lease;
}

/**
 * The leases of a limit and key that have not ended. Always a read dependency on all of them,
 * also on those to come: no two transactions take the same place.
 */
export async function storedLeases(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
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
 * The ledger of a limit on what runs at once: its rows are the leases of one key. What is
 * taken becomes a lease only by the record that `hold` writes, so `save` does not write it.
 */
export class Leases implements Ledger {
  private leases: Lease[] | undefined;
  private readonly taken: Row[] = [];
  private readonly ended: Lease[] = [];

  constructor(
    private readonly ctx: QueryCtx,
    private readonly name: string,
    private readonly key: string | undefined,
    private readonly now: number,
  ) {}

  async get(shard: number): Promise<Row | undefined> {
    return (await this.all()).find((row) => row.shard === shard);
  }

  async all(): Promise<Row[]> {
    const { ctx, name, key, now } = this;
    this.leases ??= await storedLeases(ctx, name, key, now);
    return [...toRows(this.leases), ...this.taken];
  }

  look(): Promise<Row[]> {
    return this.all();
  }

  set(rows: readonly Row[]): void {
    this.taken.push(...rows);
  }

  async reset(): Promise<void> {
    await this.all();
    this.ended.push(...this.leases!.splice(0));
    this.taken.length = 0;
  }

  async save(ctx: MutationCtx): Promise<void> {
    for (const { _id } of this.ended) await ctx.db.delete("holds", _id);
    this.ended.length = 0;
  }
}

/** What leases take; those of an unlimited key or of a dry run take nothing. */
export function toRows(leases: readonly Lease[]): Row[] {
  return leases.flatMap((lease) =>
    lease.taken === undefined
      ? []
      : [toLease(lease.taken, leasedAt(lease), lease.expiresAt)],
  );
}
