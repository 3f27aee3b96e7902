import { ConvexError } from "convex/values";
import { isExceedsCapacityError } from "convex-rate-limiter";
import { formatTokens } from "./format.js";

/** What went wrong, in a sentence. */
export function explain(error: unknown): string {
  if (isExceedsCapacityError(error)) {
    return `Never granted: ${formatTokens(error.data.max)} is the most.`;
  }
  if (error instanceof ConvexError) return JSON.stringify(error.data);
  return error instanceof Error ? error.message : String(error);
}
