import { isRateLimitError } from "convex-rate-limiter";
import { expect } from "vitest";

/** What the error of a denied call tells. */
export async function denialOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => expect.fail("It was not denied."),
    (e: unknown) => e,
  );
  if (!isRateLimitError(error)) throw error;
  return error.data;
}
