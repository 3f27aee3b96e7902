import { table } from "../../bench/table.js";
import { exploreScene, scenes } from "./scenes.js";

/** Explores every scene with three and with four calls, and prints what it ran. */
const lines = [];
for (const calls of [3, 4]) {
  for (const scene of scenes) {
    const begin = performance.now();
    const counts = await exploreScene(scene, calls);
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
