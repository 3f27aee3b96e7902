import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checks, type NamedScenario } from "./bar.js";
import { drawCharts } from "./charts.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { measure } from "./measure.js";
import { report, type Result } from "./report.js";

const DEFAULT_FILE = fileURLToPath(
  new URL("./scenarios.json", import.meta.url),
);

const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    json: { type: "boolean", default: false },
    seeds: { type: "string", default: "8" },
    scenarios: { type: "string", default: DEFAULT_FILE },
    only: { type: "string" },
  },
});

const seeds = Number(options.seeds);
if (!Number.isInteger(seeds) || seeds < 1) {
  throw new Error(`--seeds must be a whole number of at least 1`);
}

const scenarios = await readScenarios(options.scenarios, options.only);
const results: Result[] = [];
let lastLabel = "";
for (const [name, scenario] of scenarios) {
  const run = (limiter: Limiter) => {
    const label = `${results.length + 1}/${scenarios.length} ${name}, ${limiter.name}`;
    return measure(limiter, scenario, seeds, (seed) =>
      progress(label, `, seed ${seed}`),
    );
  };
  const figures = { ours: await run(ours), peer: await run(peer) };
  results.push({
    name,
    scenario,
    ...figures,
    checks: checks(name, scenario, figures.ours, figures.peer),
  });
}
progress("");
if (options.json) {
  console.log(JSON.stringify({ seeds, results }, undefined, 2));
} else {
  console.log(report(results, seeds));
  const isWholeRun = options.scenarios === DEFAULT_FILE && !options.only;
  if (isWholeRun) {
    const files = await drawCharts(seeds, progress);
    progress("");
    console.log(files.map((file) => `Wrote ${file}`).join("\n"));
  }
}

async function readScenarios(file: string, only: string | undefined) {
  const all = Object.entries(
    JSON.parse(await readFile(file, "utf8")) as Record<string, NamedScenario>,
  );
  const chosen = all.filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) {
    throw new Error(
      `no scenario ${only}; there are ${all.map(([name]) => name).join(", ")}`,
    );
  }
  return chosen;
}

/** One line that changes on a terminal; elsewhere a line for each label. */
function progress(label: string, detail = ""): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${label}${detail}`);
  else if (label !== "" && label !== lastLabel) console.error(label);
  lastLabel = label;
}
