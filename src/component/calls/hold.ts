import { v } from "convex/values";
import { parseHoldId, toHoldId } from "../../core/holdId.js";
import type { Doc, Id } from "../_generated/dataModel.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Request } from "./request.js";
import { vRequest, type Held } from "./signatures.js";
import type { Served } from "./serve.js";

/** A request whose tokens are to be held. */
export const vHold = () =>
  vRequest().extend({
    /** Whether the config is the call's own, and not that of a limit that the app names. */
    isInline: v.optional(v.boolean()),
    throws: v.optional(v.boolean()),
  });

/** Stores what was granted, so that it can be ended once. */
export async function storeHold(
  ctx: MutationCtx,
  asked: Request & { isInline?: boolean | undefined },
  { answer, taken }: Served,
  expiresAt: number,
): Promise<Held> {
  if (!answer.ok) return answer;
  const { name, key, config, count, isInline } = asked;
  const isExempt = taken === 0 && count !== 0;
  const rowId = await ctx.db.insert("holds", {
    name,
    key,
    config,
    ...(isInline && { isInline }),
    taken: isExempt ? undefined : taken,
    expiresAt,
  });
  return { ...answer, id: toHoldId(rowId, name) };
}

/**
 * The row of a hold; null if it has been ended.
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
