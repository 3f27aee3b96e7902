import { startEmbedded } from "convex-embedded";
import { ours, peer } from "../limiters.js";
import { simulate } from "../simulate.js";
import { requireConsent, terminal } from "./consent.js";
import { embeddedApp } from "./embeddedApp.js";
import { load } from "./load.js";
import { readLoadOptions } from "./options.js";
import { loadReport, overGrants, type Run } from "./report.js";

const options = await readLoadOptions(process.argv.slice(2));
const { CONVEX_URL } = process.env;
if (CONVEX_URL !== undefined) {
  await requireConsent(CONVEX_URL, options, terminal);
}
const server =
  CONVEX_URL === undefined
    ? await startEmbedded({ app: embeddedApp, port: 0 })
    : undefined;
const url = CONVEX_URL ?? server!.url;
const runs: Run[] = [];
try {
  for (const [name, scenario] of options.scenarios) {
    for (const limiter of [peer, ours]) {
      console.error(`${name}, ${limiter.name}`);
      const observed = await load(url, limiter, scenario, options.seed);
      const predicted = await simulate(limiter, scenario, options.seed);
      runs.push({ name, scenario, limiter, observed, predicted });
    }
  }
} finally {
  await server?.close();
}
console.log(loadReport(runs, server !== undefined));
const unsafe = overGrants(runs);
if (unsafe.length > 0) {
  console.error(`\n${unsafe.join("\n")}`);
  process.exitCode = 1;
}
