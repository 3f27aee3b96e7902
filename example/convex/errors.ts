import { ConvexError } from "convex/values";

/**
 * What a caller is told. A production deployment hides the text of any other error from its
 * clients; the data of a `ConvexError` arrives. `RateLimited` of the rate limiter is one, too.
 */
export type AppError =
  | { kind: "SignedOut" }
  | { kind: "WrongPassword" }
  | { kind: "NameTaken" }
  | { kind: "BadInput"; message: string };

export const appError = (data: AppError) => new ConvexError(data);

/** Throws unless `text` has 1 to `most` characters, without those around it. */
export function requireText(text: string, most: number): string {
  const trimmed = text.trim();
  if (trimmed.length >= 1 && trimmed.length <= most) return trimmed;
  throw appError({
    kind: "BadInput",
    message: `Write 1 to ${most} characters.`,
  });
}
