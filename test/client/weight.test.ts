import { expect, test } from "vitest";
import { requireAtMost, requireFile, weigh } from "../support/weight.js";

const limiter = await weigh(
  `import { RateLimiter } from "./client/index.js"; globalThis.it = RateLimiter;`,
);

test("a module that imports RateLimiter evaluates at most 25.3 kB of this package", () => {
  // A hold and a list of holds are two verbs, and answers are told apart before callbacks see them.
  // The checks of each field of a config run when the module loads. Of the validators, 1.5 kB say
  // what the query of `hookAPI` returns; they are built only when Convex analyses the app.
  requireAtMost(25_300, limiter, "import { RateLimiter }");
});

test("a module that imports RateLimiter evaluates no HTTP, addresses or projections", () => {
  const files = [...limiter.keys()].map((file) => file.replace(/^src\//, ""));
  for (const heavy of [
    "client/http.ts",
    "client/ipKey.ts",
    "core/calculateRateLimit.ts",
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
