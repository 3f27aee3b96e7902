/* `npm run bench -- [verbs] [FILE ...] [--seeds 8] [--only NAME] [--seconds 7] [--safety] [--json]`
 * and what else `options.ts` names. */
import { checks } from "./bar.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { measure } from "./measure.js";
import { readOptions } from "./options.js";
import { reportPhased } from "./phased.js";
import { failures, report, type Result } from "./report.js";
import {
  figuresOf,
  missesOf,
  missesReport,
  runVerbs,
  verbsReport,
} from "./verbs.js";

const { seeds, json, safetyOnly, verbs, scenarios, phased, variants } =
  await readOptions(process.argv.slice(2));
const results: Result[] = [];
let lastLabel = "";
const lines = verbs
  ? await runVerbs(verbs.selection, { ...verbs, progress })
  : [];
const misses = missesOf(lines);
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
  const figures = { verbs: lines.map(figuresOf), seeds, results };
  console.log(JSON.stringify(figures, undefined, 2));
} else {
  if (lines.length > 0) {
    console.log(`${verbsReport(lines, misses)}\n\n${missesReport(misses)}`);
  }
  if (results.length > 0) console.log(report(results, seeds));
}
if (phased.length > 0) {
  const text = await reportPhased(phased, seeds, variants, progress);
  progress("");
  console.log(text);
}
const failed = failures(results);
if (failed.length > 0 && !safetyOnly) {
  console.error(`\nThe bar does not hold:\n${failed.join("\n")}`);
}
if (failed.length + misses.length > 0 && !safetyOnly) process.exitCode = 1;

/** One line that changes on a terminal; elsewhere a line for each label. */
function progress(label: string, detail = ""): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${label}${detail}`);
  else if (label !== "" && label !== lastLabel) console.error(label);
  lastLabel = label;
}
