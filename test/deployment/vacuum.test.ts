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
    const { take, hold, getValue, settle } = newLimit(config);
    await take({ count: 3 });
    const id = holdIdOf(await hold(1));
    const balance = async () => Math.floor((await getValue()).value);
    expect(await balance()).toBe(1);
    execFileSync("npx", [
      "convex",
      "run",
      "--env-file",
      writeEnvFile(),
      "--component",
      "rateLimiter",
      "jobs:vacuum",
    ]);
    expect(await balance()).toBe(1);
    expect(await settle(id, 1)).toEqual({ settled: true });
  },
);
