import { ConvexError } from "convex/values";
import type { ExceedsCapacityError, RateLimitError } from "../core/errors.js";

/**
 * Whether an error is a denial that was thrown because of `throws: true`. Works on the server and
 * on clients. `error.data` is then `{ kind: "RateLimited", name, retryAfter }`.
 */
export function isRateLimitError(
  error: unknown,
): error is ConvexError<RateLimitError> {
  return hasKind(error, "RateLimited");
}

/**
 * Whether an error says that a request asked for more than its limit could ever grant. `error.data`
 * is then `{ kind: "ExceedsCapacity", name, count, max }`.
 */
export function isExceedsCapacityError(
  error: unknown,
): error is ConvexError<ExceedsCapacityError> {
  return hasKind(error, "ExceedsCapacity");
}

/**
 * Whether an error says that a mutation failed because of write conflicts: in each attempt, others
 * wrote what it had read. It stored nothing, so you can try again. Works where a mutation is called
 * from: in actions and on clients. Inside a mutation this error never appears.
 *
 * Source: convex-backend, `crates/errors/src/lib.rs` (`user_occ`, `system_occ`), read in August
 * 2026. Actions get the text, clients also the code.
 */
export function isWriteConflictError(error: unknown): error is Error {
  return error instanceof Error && WRITE_CONFLICT.test(error.message);
}

const WRITE_CONFLICT =
  /OptimisticConcurrencyControlFailure|changed while (this mutation|it) was being run/;

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
