import type { Row } from "../../../core/row.js";
import { toLease } from "../../../core/rows.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import type { Ledger } from "../ledger.js";
import { leasedAt, storedLeases, type Lease } from "./stored.js";

/**
 * The ledger of a concurrency limit: its rows are the leases of one key. `save` writes nothing,
 * since `hold` stores what was taken.
 */
export class LeaseLedger implements Ledger {
  private leases: Lease[] | undefined;
  private readonly taken: Row[] = [];

  constructor(
    private readonly ctx: QueryCtx,
    private readonly name: string,
    private readonly key: string | undefined,
    private readonly now: number,
  ) {}

  async read(): Promise<Row[]> {
    const { ctx, name, key, now } = this;
    this.leases ??= await storedLeases(ctx, name, key, now);
    return [...toRows(this.leases), ...this.taken];
  }

  look(): Promise<Row[]> {
    return this.read();
  }

  set(rows: readonly Row[]): void {
    this.taken.push(...rows);
  }

  async save(): Promise<boolean> {
    return false;
  }

  async reset(ctx: MutationCtx): Promise<void> {
    await this.read();
    for (const { _id } of this.leases!.splice(0)) {
      await ctx.db.delete("holds", _id);
    }
    this.taken.length = 0;
  }
}

/** Leases as rows, without those that took nothing: of an unlimited key, or in a dry run. */
export function toRows(leases: readonly Lease[]): Row[] {
  return leases.flatMap((lease) =>
    lease.taken === undefined
      ? []
      : [toLease(lease.taken, leasedAt(lease), lease.expiresAt)],
  );
}
