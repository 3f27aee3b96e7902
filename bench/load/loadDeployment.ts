/* `npm run bench:deployment -- [PART ...] [--seconds 8] [--json FILE] [--no-push] [--yes]`
 * and what else `options.ts` names. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startEmbedded } from "convex-embedded";
import { bundleApp } from "../../test/push/bundle.js";
import { connect } from "./call.js";
import { requireConsent, terminal } from "./consent.js";
import { timeInTurns, type Cost } from "./cost.js";
import { embeddedApp } from "./embeddedApp.js";
import { NOTHING } from "./load.js";
import { bearable, timesAlone, workCallMs } from "./machine.js";
import { readLoadOptions } from "./options.js";
import { hasKey, pushApp } from "./push.js";
import {
  bornReport,
  costReport,
  figuresOf,
  LEGEND,
  loadReport,
  overGrants,
  weightReport,
} from "./report.js";
import { runLoads, type Run } from "./run.js";
import { TIMED, VERBS, type Config } from "./scenarios.js";
import { versionsOf } from "./versions.js";
import { weigh } from "./weight.js";

const LEVEL_MS = 1000;
const ALONE = 20;
const LIMIT: Config = { kind: "token bucket", rate: 1e6, period: 1000 };
const EMBEDDED = `This is the embedded server, which runs one transaction at a time: no conflict can happen there, and nothing fails for
one. It shows that this command works, and nothing of a deployment.`;

const args = process.argv.slice(2);
const options = readLoadOptions(args);
const { seconds, kind, seed, rounds, json } = options;
const { CONVEX_URL, CONVEX_SELF_HOSTED_URL } = process.env;
const deployment = CONVEX_URL ?? CONVEX_SELF_HOSTED_URL;
const progress = (label: string) => console.error(label);

if (deployment !== undefined) {
  const pushes = options.pushes && hasKey(process.env);
  await requireConsent(deployment, { ...options, pushes }, terminal);
  if (pushes) {
    progress(`pushing the app of bench/load to ${deployment}`);
    await pushApp(deployment);
  }
}
const server =
  deployment === undefined
    ? await startEmbedded({ app: embeddedApp, port: 0 })
    : undefined;
const beganAt = performance.now();
const runs: Run[] = [];
const figures: Record<string, unknown> = {};
try {
  const command = ["npm run bench:deployment", ...(args.length ? ["--"] : [])];
  const versions = await versionsOf(deployment);
  figures.command = [...command, ...args.map(quoted)].join(" ");
  figures.versions = versions;
  console.log(`    ${figures.command as string}\n`);
  for (const [what, version] of Object.entries(versions)) {
    console.log(`- ${what}: ${version}`);
  }
  if (server !== undefined) console.log(`\n${EMBEDDED}`);

  if (options.weighs) {
    progress("weight");
    const app = fileURLToPath(new URL(".", import.meta.url));
    const weights = weigh(await bundleApp(app));
    figures.weight = weights;
    console.log(
      `\n## weight\n\nWhat a call of a function in each module loads.\n\n${weightReport(weights)}`,
    );
  }

  const send = connect(server?.url ?? deployment!);
  progress("what the machine bears");
  const nothing = { ...NOTHING, config: LIMIT };
  const byHand = { ...nothing, mutations: VERBS.limit!.mutations };
  const [nothingAloneMs = 0] = await timesAlone(send, nothing, {
    calls: ALONE,
  });
  const machine = {
    nothingAloneMs,
    nothing: await bearable(send, nothing, { levelMs: LEVEL_MS }),
    byHand: await bearable(send, byHand, { levelMs: LEVEL_MS }),
  };
  figures.machine = machine;
  console.log(
    `\nThe machine bears ${machine.nothing.toFixed(0)} mutations a second that do nothing, and ${machine.byHand.toFixed(0)} that read and write one row, each its own.\n` +
      `One that does nothing takes ${nothingAloneMs.toFixed(1)} ms.`,
  );

  if (options.times) {
    const costs: Cost[] = [];
    for (const timed of TIMED) {
      progress(`cost: ${timed.call}`);
      costs.push(await timeInTurns(send, timed, rounds));
    }
    figures.cost = costs;
    console.log(
      `\n## cost\n\nMedians of ${rounds} calls, which took turns, as a client sees them.\n\n${costReport(costs)}`,
    );
  }

  const setting = {
    seconds,
    kind,
    seed,
    levelMs: LEVEL_MS,
    alone: ALONE,
    workCallMs: options.loads.length > 0 ? await workCallMs(send) : 1,
    progress,
  };
  if (options.loads.length > 0) console.log(`\n${LEGEND}`);
  for (const [part, selection] of options.loads) {
    const own: Run[] = [];
    for await (const run of runLoads(send, part, selection, setting)) {
      own.push(run);
      runs.push(run);
      await save();
    }
    const summary = selection.rises ? `${bornReport(own)}\n\n` : "";
    console.log(`\n## ${part}\n\n${summary}${loadReport(own)}`);
  }
  await save();
  const took = (performance.now() - beganAt) / 1000;
  console.log(`\nThis took ${took.toFixed(0)} s.`);
} finally {
  await server?.close();
}
const unsafe = overGrants(runs);
if (unsafe.length > 0) {
  console.error(`\n${unsafe.join("\n")}`);
  process.exitCode = 1;
}

/** After each run, since the next one may be the last that the deployment survives. */
async function save(): Promise<void> {
  if (json === undefined) return;
  const all = { ...figures, loads: runs.map(figuresOf) };
  await writeFile(json, JSON.stringify(all, undefined, 1));
}

function quoted(word: string): string {
  return /\s/.test(word) ? `"${word}"` : word;
}
