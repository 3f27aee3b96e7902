import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = fileURLToPath(
  new URL("../../scripts/size.mjs", import.meta.url),
);

test("the hooks are at most 3.5 kB gzipped, by Vite and by esbuild", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  const sizes = Array.from(stdout.matchAll(/by (\w+): .* (\d+) gzipped/g));
  expect(sizes.map(([, bundler]) => bundler)).toEqual(["Vite", "esbuild"]);
  for (const [, , gzipped] of sizes) {
    expect(Number(gzipped)).toBeGreaterThan(500);
    expect(Number(gzipped)).toBeLessThanOrEqual(3500);
  }
}, 30_000);
