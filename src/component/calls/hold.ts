import type { Infer } from "convex/values";
import { isAsynchronous } from "../../core/config.js";
import { toHoldId } from "../../core/holdId.js";
import { DAY } from "../../core/periods.js";
import { reject, requireAbove0 } from "../../core/reject.js";
import type { MutationCtx } from "../_generated/server.js";
import { limitAll } from "./limit.js";
import { keepRule } from "./settle.js";
import type { HoldAllAnswer, vHoldRequest } from "./signatures.js";

type HoldRequest = Infer<ReturnType<typeof vHoldRequest>>;

/** Convex's scheduler refuses anything later. */
const MAX_WAIT = 5 * 365 * DAY;

/**
 * Takes for all requests or for none, as `limitAll` does, and stores each grant as a hold, so that
 * it can be settled once.
 *
 * @param usually For how long a hold can be settled if its request does not say, in ms. A lease
 * has its own end.
 */
export async function holdAll(
  ctx: MutationCtx,
  asked: readonly HoldRequest[],
  { throws, usually = DAY }: { throws?: boolean; usually?: number },
): Promise<HoldAllAnswer> {
  const now = Date.now();
  const lasting = asked.map((request) => lengthOf(request, usually));
  const requests = asked.map(
    ({ isInline: _, expiresAfter: __, ...request }) => request,
  );
  const { answer, taken } = await limitAll(ctx, requests, { throws }, now);
  if (!answer.ok) return answer;
  const { retryAfter = 0 } = answer;
  if (retryAfter > MAX_WAIT) {
    throw new Error(
      `Rate limit ${asked[0]!.name}: the reserved tokens arrive in ${retryAfter} ms, more than five years from now.`,
    );
  }
  const ids: string[] = [];
  for (const [i, { name, key, config, count, isInline }] of asked.entries()) {
    const isExempt = taken[i] === 0 && count !== 0;
    const isInRows = config.kind !== "concurrency" && !isAsynchronous(config);
    if (isInline && isInRows && !isExempt) {
      await keepRule(ctx, { name, key, config });
    }
    const rowId = await ctx.db.insert("holds", {
      name,
      key,
      config,
      ...(isInline && { isInline }),
      taken: isExempt ? undefined : taken[i],
      expiresAt: now + retryAfter + lasting[i]!,
    });
    ids.push(toHoldId(rowId, name));
  }
  return { ...answer, ids };
}

/** How long a hold lasts, in ms. A lease says so in its config. */
function lengthOf(
  { name, config, expiresAfter }: HoldRequest,
  usually: number,
): number {
  requireAbove0(name, "expiresAfter", expiresAfter ?? usually);
  if (config.kind !== "concurrency") return expiresAfter ?? usually;
  if (expiresAfter === undefined) return config.lease;
  reject(
    name,
    "expiresAfter",
    "absent, since the limit has a lease",
    expiresAfter,
  );
}
