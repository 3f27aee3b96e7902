import { ConvexError } from "convex/values";
import type { ExceedsCapacityError, RateLimitError } from "../core/errors.js";

/**
 * Whether an error says that a limit denied a request, as `throws: true` throws it.
 * Works on the server and on clients. `error.data` is then
 * `{ kind: "RateLimited", name, retryAfter, key? }`.
 */
export function isRateLimitError(
  error: unknown,
): error is ConvexError<RateLimitError> {
  return hasKind(error, "RateLimited");
}

/**
 * Whether an error says that a request asks for more than its limit could ever
 * grant. `error.data` is then `{ kind: "ExceedsCapacity", name, count, max }`.
 */
export function isExceedsCapacityError(
  error: unknown,
): error is ConvexError<ExceedsCapacityError> {
  return hasKind(error, "ExceedsCapacity");
}

function hasKind(error: unknown, kind: string): boolean {
  if (!(error instanceof ConvexError)) return false;
  const data: unknown = error.data;
  return (
    typeof data === "object" &&
    data !== null &&
    "kind" in data &&
    data.kind === kind
  );
}
