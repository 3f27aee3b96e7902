import { ConvexError } from "convex/values";

/**
 * The errors that clients see. A production deployment hides the text of any other error, but
 * passes on the data of a `ConvexError`, such as `RateLimited` of the rate limiter.
 */
export type AppError =
  | { kind: "SignedOut" }
  | { kind: "WrongPassword" }
  | { kind: "NameTaken" }
  | { kind: "BadInput"; message: string };

export const appError = (data: AppError) => new ConvexError(data);

/** The text without spaces around it. Throws unless it has 1 to `max` characters. */
export function requireText(text: string, max: number): string {
  const trimmed = text.trim();
  if (trimmed.length >= 1 && trimmed.length <= max) return trimmed;
  throw appError({
    kind: "BadInput",
    message: `Write 1 to ${max} characters.`,
  });
}
