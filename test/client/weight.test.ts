import { expect, test } from "vitest";
import { requireAtMost, requireFile, weigh } from "../support/weight.js";

const limiter = await weigh(
  `import { RateLimiter } from "./client/index.js"; globalThis.it = RateLimiter;`,
);

test("a module that imports RateLimiter evaluates at most 22 kB of this package", () => {
  // The checks of each field of a config run when the module loads.
  requireAtMost(22_000, limiter, "import { RateLimiter }");
});

test("a module that imports RateLimiter evaluates no HTTP, addresses, projections or validators", () => {
  const files = [...limiter.keys()].map((file) => file.replace(/^src\//, ""));
  for (const heavy of [
    "client/http.ts",
    "client/ipKey.ts",
    "core/calculateRateLimit.ts",
    "core/validators.ts",
  ]) {
    requireFile(heavy);
    expect(files).not.toContain(heavy);
  }
});

test("the error of a module that is too large lists its files", () => {
  expect(() => requireAtMost(1, limiter, "It")).toThrow(
    /^It has \d+ bytes, and may have 1\. [^]*\n\d+ src\/client\/RateLimiter\.ts/,
  );
});
