import { isAsynchronous, type StoredConfig } from "../core/config.js";
import { shown } from "../core/reject.js";
import { checkOptions } from "./options.js";
import type { MutationCtx, QueryCtx } from "./types.js";

/**
 * @throws An `Error` if it is not the ctx of a function that has this method: most often it was
 * forgotten, and the next argument stands in its place.
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

type OptionsOfCall = Parameters<typeof checkOptions>;

/** Checks the ctx and the options of a call that only reads. */
export function requireQueryCtx(ctx: unknown, ...options: OptionsOfCall): void {
  requireCtx(ctx, "runQuery");
  checkOptions(...options);
}

/** Checks the ctx and the options of a call that writes. */
export function requireMutationCtx(
  ctx: unknown,
  ...options: OptionsOfCall
): void {
  requireCtx(ctx, "runMutation");
  checkOptions(...options);
}

/**
 * Whether to ask by a mutation that writes nothing: for an asynchronous limit, to add no read
 * dependency to the caller's mutation.
 */
export function asksFresh(
  ctx: QueryCtx,
  requests: readonly { config: StoredConfig }[],
): ctx is MutationCtx {
  return (
    "runMutation" in ctx &&
    requests.some(({ config }) => isAsynchronous(config))
  );
}
