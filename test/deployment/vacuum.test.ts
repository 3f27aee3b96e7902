import { execFileSync } from "node:child_process";
import { expect, inject, test } from "vitest";
import { newLimit } from "./visitor.js";

test.skipIf(!inject("hasDeployKey"))(
  "the vacuum runs, and changes no answer",
  async () => {
    const { take, getValue } = newLimit({
      kind: "token bucket",
      rate: 5,
      period: 600_000,
    });
    await take(3);
    const before = await getValue();
    execFileSync("npx", [
      "convex",
      "run",
      "--component",
      "rateLimiter",
      "vacuum:vacuum",
    ]);
    expect(await getValue()).toEqual(before);
  },
);
