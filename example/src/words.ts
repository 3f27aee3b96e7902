import { isRateLimitError } from "convex-rate-limiter";
import { ConvexError } from "convex/values";
import type { AppError } from "../convex/errors.js";

/** What the page says of an error. Only a `ConvexError` reaches the page with its data. */
export function wordsOf(error: unknown): string {
  if (isRateLimitError(error)) {
    return `Too many tries. Try again in ${formatWait(error.data.retryAfter)}.`;
  }
  if (error instanceof ConvexError) {
    const data = error.data as AppError;
    switch (data.kind) {
      case "SignedOut":
        return "You are signed out. Sign in again.";
      case "WrongPassword":
        return "The name or the password is wrong.";
      case "NameTaken":
        return "That name is taken.";
      case "BadInput":
        return data.message;
    }
  }
  return "That did not work. Try again.";
}

const UNITS = [
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** A wait as one number, rounded up, so that it is never too short. */
export function formatWait(ms: number): string {
  const [unit, length] = UNITS.find(([, unitMs]) => ms > unitMs) ?? UNITS[2];
  return `${Math.ceil(ms / length)} ${unit}`;
}
