import { parseHoldId } from "../../../core/holdId.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";

/** A hold of a concurrency limit. */
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
 * The leases of a limit and key that have not ended. The read dependency includes leases that
 * others add meanwhile, so that no two transactions take the same tokens.
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
 * The stored hold with this id; null if it was settled, released or vacuumed.
 *
 * @throws An `Error` if the id is not that of a hold.
 */
export async function findHold(
  ctx: MutationCtx,
  id: string,
): Promise<Doc<"holds"> | null> {
  const hold = await ctx.db.get("holds", toRowId(ctx, id));
  if (hold !== null && hold.name !== parseHoldId(id).name) throw noHold(id);
  return hold;
}

export function toRowId(ctx: MutationCtx, id: string): Id<"holds"> {
  const { rowId, name } = parseHoldId(id);
  const known = ctx.db.normalizeId("holds", rowId);
  if (known === null || name === undefined) throw noHold(id);
  return known;
}

function noHold(id: string): Error {
  return new Error(`${id} is not the id of a hold.`);
}
