import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { holdIdOf, newLimit } from "./visitor.js";

const deployKey = inject("deployKey");

/** Writes where Convex's command finds the deployment, so that it uses no other. */
function writeEnvFile(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "deployment-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, ".env");
  writeFileSync(
    file,
    `CONVEX_SELF_HOSTED_URL=${inject("url")}
CONVEX_SELF_HOSTED_ADMIN_KEY=${deployKey}
`,
  );
  return file;
}

test.skipIf(deployKey === undefined)(
  "the vacuum changes no answer",
  async () => {
    const config = { kind: "token bucket", rate: 5, period: 600_000 } as const;
    const limits = [
      newLimit(config),
      newLimit({ ...config, applyUpdates: "asynchronously" }),
    ];
    const ids: string[] = [];
    for (const { take, hold } of limits) {
      await take({ count: 3 });
      ids.push(holdIdOf(await hold(1)));
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
      "--env-file",
      writeEnvFile(),
      "--component",
      "rateLimiter",
      "jobs:vacuum",
    ]);
    expect(await balances()).toEqual([1, 1]);
    for (const [i, { settle }] of limits.entries()) {
      expect(await settle(ids[i]!, 1)).toEqual({ settled: true });
    }
  },
);
