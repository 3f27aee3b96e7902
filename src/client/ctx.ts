import { isAsynchronous, type StoredConfig } from "../core/config.js";
import { shown } from "../core/reject.js";
import { checkOptions } from "./options.js";
import type { MutationCtx, QueryCtx } from "./types.js";

/**
 * @throws An `Error` if the ctx lacks this method. Usually the caller forgot the ctx and passed
 * the next argument in its place.
 */
export function requireCtx(
  ctx: unknown,
  method: "runQuery" | "runMutation",
): void {
  const isObject = typeof ctx === "object" && ctx !== null;
  if (isObject && method in ctx) return;
  const query = method === "runQuery" ? "a query, " : "";
  throw new Error(
    `RateLimiter: the first argument must be the ctx that Convex gives to ${query}a mutation or an action, but it ${isObject ? `has no ${method}` : `is ${shown(ctx)}`}.`,
  );
}

/** Checks the ctx and the options of a call that only reads. */
export function checkQueryCall(
  ctx: unknown,
  ...options: Parameters<typeof checkOptions>
): void {
  requireCtx(ctx, "runQuery");
  checkOptions(...options);
}

/** Checks the ctx and the options of a call that writes. */
export function checkMutationCall(
  ctx: unknown,
  ...options: Parameters<typeof checkOptions>
): void {
  requireCtx(ctx, "runMutation");
  checkOptions(...options);
}

/**
 * Whether to read through a mutation that writes nothing. For an asynchronous limit that keeps
 * the read out of the caller's read set, which a query cannot do.
 */
export function needsFreshRead(
  ctx: QueryCtx,
  requests: readonly { config: StoredConfig }[],
): ctx is MutationCtx {
  return (
    "runMutation" in ctx &&
    requests.some(({ config }) => isAsynchronous(config))
  );
}
