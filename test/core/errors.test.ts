import { isRateLimitError } from "convex-rate-limiter";
import { expect, test } from "vitest";
import {
  exceedsCapacityError,
  rateLimitedError,
} from "../../src/core/errors.js";

test.each([
  [
    undefined,
    "RateLimited: Rate limit api is used up. Retry after 250 ms.",
    { kind: "RateLimited", name: "api", retryAfter: 250 },
  ],
  [
    "ann",
    "RateLimited: Rate limit api for ann is used up. Retry after 250 ms.",
    { kind: "RateLimited", name: "api", retryAfter: 250, key: "ann" },
  ],
  [
    "",
    "RateLimited: Rate limit api for  is used up. Retry after 250 ms.",
    { kind: "RateLimited", name: "api", retryAfter: 250, key: "" },
  ],
])("the error of a denial names the key: %j", (key, message, data) => {
  const error = rateLimitedError("api", key, 250);
  expect(error.message).toBe(message);
  expect(error.data).toStrictEqual(data);
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
