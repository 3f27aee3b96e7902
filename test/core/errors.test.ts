import { isRateLimitError } from "convex-rate-limiter";
import { expect, test } from "vitest";
import {
  exceedsCapacityError,
  rateLimitedError,
} from "../../src/core/errors.js";

test("the error of a denial has three fields, and their JSON as its text", () => {
  const error = rateLimitedError("api", 250);
  const data = { kind: "RateLimited", name: "api", retryAfter: 250 };
  expect(error.data).toStrictEqual(data);
  expect(error.message).toBe(JSON.stringify(data));
});

test("the error of a count that is never granted is no denial", () => {
  const error = exceedsCapacityError("api", 11, 10);
  expect(isRateLimitError(error)).toBe(false);
  expect(error.message).toBe(
    "Rate limit api count 11 exceeds 10. No wait will help.",
  );
  expect(error.data).toStrictEqual({
    kind: "ExceedsCapacity",
    name: "api",
    count: 11,
    max: 10,
  });
});
