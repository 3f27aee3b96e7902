import { isRateLimitError } from "convex-rate-limiter";
import { expect } from "vitest";

/** The data of the error that a denied call throws. */
export async function denialOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => expect.fail("It was not denied."),
    (e: unknown) => e,
  );
  if (!isRateLimitError(error)) throw error;
  return error.data;
}
