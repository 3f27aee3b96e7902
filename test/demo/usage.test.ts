import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "../support/root.js";

test.each([
  ["demo/demo.ts", "--help", "npm run demo"],
  ["demo/demo.ts", "--prot", "npm run demo"],
  ["bench/contention.ts", "--help", "npm run bench"],
  ["bench/load/loadDeployment.ts", "--help", "npm run bench:deployment"],
  ["test/interleavings/all.ts", "--help", "npm run test:interleavings"],
  ["test/restarts/restarts.ts", "--help", "npm run test:restarts"],
])("%s %s prints one line of usage", (file, option, command) => {
  const { stderr, status } = spawnSync(
    process.execPath,
    ["scripts/run.mjs", file, option],
    { cwd: root, encoding: "utf8" },
  );
  expect(stderr).toMatch(new RegExp(`^usage: ${command} -- .*\n$`));
  expect(status).toBe(1);
});
