import { parseArgs } from "node:util";
import { table } from "../../bench/table.js";
import { exploreScene, scenes } from "./scenes.js";

/**
 * `npm run test:interleavings -- [--calls 3] [--calls 4] [PART OF A NAME ...]`
 *
 * Explores every scene with three and with four calls, and prints what it ran: `--calls 3` only
 * those with three, and `held` only the scenes whose names contain it.
 */
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  options: { calls: { type: "string", multiple: true, default: ["3", "4"] } },
  allowPositionals: true,
});
const chosen = scenes.filter(
  ({ name }) =>
    positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const lines = [];
for (const calls of values.calls.map(Number)) {
  for (const scene of chosen) {
    const begin = performance.now();
    const counts = await exploreScene(scene, calls).catch((error: unknown) => {
      console.error(`${calls} calls, ${scene.name}:`, error);
      process.exitCode = 1;
    });
    if (counts === undefined) continue;
    const seconds = (performance.now() - begin) / 1000;
    lines.push({ calls, name: scene.name, ...counts, seconds });
    console.error(`${calls} calls, ${scene.name}: ${seconds.toFixed(0)} s`);
  }
}
const grouped = (n: number) => n.toLocaleString("en-US");
console.log(
  table(lines, {
    calls: ({ calls }) => String(calls),
    limit: ({ name }) => name,
    histories: ({ histories }) => grouped(histories),
    transactions: ({ transactions }) => grouped(transactions),
    conflicts: ({ conflicts }) => grouped(conflicts),
    denials: ({ denials }) => grouped(denials),
    seconds: ({ seconds }) => seconds.toFixed(0),
  }),
);
