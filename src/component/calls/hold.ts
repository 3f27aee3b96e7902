import { toHoldId } from "../../core/holdId.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Limited } from "./limit.js";
import type { Request } from "./request.js";
import type { Answer, HoldAnswer } from "./signatures.js";

/** Stores a grant as a hold, so that it can be settled once. */
export async function storeHold(
  ctx: MutationCtx,
  asked: Request & { isInline?: boolean | undefined },
  { answer, taken }: Limited<Answer>,
  expiresAt: number,
): Promise<HoldAnswer> {
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
