import { checks } from "./bar.js";
import { drawCharts } from "./charts.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { measure } from "./measure.js";
import { readOptions } from "./options.js";
import { reportPhased } from "./phased.js";
import { failures, report, type Result } from "./report.js";

const { seeds, json, safetyOnly, scenarios, phased, variants, isWholeRun } =
  await readOptions(process.argv.slice(2));
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
if (json) {
  console.log(JSON.stringify({ seeds, results }, undefined, 2));
} else if (results.length > 0) {
  console.log(report(results, seeds));
  if (isWholeRun) {
    const files = await drawCharts(seeds, progress);
    progress("");
    console.log(files.map((file) => `Wrote ${file}`).join("\n"));
  }
}
if (phased.length > 0) {
  const text = await reportPhased(phased, seeds, variants, progress);
  progress("");
  console.log(text);
}
const failed = failures(results);
if (failed.length > 0 && !safetyOnly) {
  console.error(`\nThe bar does not hold:\n${failed.join("\n")}`);
  process.exitCode = 1;
}

/** One line that changes on a terminal; elsewhere a line for each label. */
function progress(label: string, detail = ""): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${label}${detail}`);
  else if (label !== "" && label !== lastLabel) console.error(label);
  lastLabel = label;
}
