import { execFileSync } from "node:child_process";
import { expect, inject, test } from "vitest";
import { idOf, newLimit } from "./visitor.js";

test.skipIf(!inject("hasDeployKey"))(
  "the vacuum runs, and changes no answer",
  async () => {
    const config = { kind: "token bucket", rate: 5, period: 600_000 } as const;
    const limits = [
      newLimit(config),
      newLimit({ ...config, applyUpdates: "asynchronously" }),
    ];
    const ids: string[] = [];
    for (const { take, hold } of limits) {
      await take(3);
      ids.push(idOf(await hold(1)));
    }
    const balances = async () =>
      Promise.all(
        limits.map(async ({ getValue }) =>
          Math.floor((await getValue()).value),
        ),
      );
    expect(await balances()).toEqual([1, 1]);
    execFileSync("npx", [
      "convex",
      "run",
      "--component",
      "rateLimiter",
      "vacuum:vacuum",
    ]);
    expect(await balances()).toEqual([1, 1]);
    for (const [i, { settle }] of limits.entries()) {
      expect(await settle(ids[i]!, 1)).toEqual({ settled: true });
    }
  },
);
