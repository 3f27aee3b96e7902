import { shown } from "../core/reject.js";
import type { MutationCtx, QueryCtx } from "./types.js";

/** @throws An `Error` if it is not the ctx of a query, a mutation or an action. */
export function reading<Ctx extends QueryCtx>(ctx: Ctx): Ctx {
  requireCtx(ctx, "runQuery", "a query, a mutation or an action");
  return ctx;
}

/** @throws An `Error` if it is not the ctx of a mutation or an action. */
export function writing<Ctx extends MutationCtx>(ctx: Ctx): Ctx {
  requireCtx(ctx, "runMutation", "a mutation or an action");
  return ctx;
}

function requireCtx(
  ctx: unknown,
  method: "runQuery" | "runMutation",
  of: string,
): void {
  const isObject = typeof ctx === "object" && ctx !== null;
  if (isObject && method in ctx) return;
  throw new Error(
    `RateLimiter: the first argument must be the ctx that Convex gives to ${of}, but it ${isObject ? `has no ${method}` : `is ${shown(ctx)}`}.`,
  );
}
