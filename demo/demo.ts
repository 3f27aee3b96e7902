/**
 * The demo in a browser, with Convex in this process:
 * `npm run demo -- [--port 3000] [--no-transcript] [--watch]`
 */
import { parseArgs } from "node:util";
import { DEMO_SECRET } from "./convex/demoSecret.js";
import { startDemo } from "./startDemo.js";
import { printTranscript } from "./transcript.js";

const { values: options } = parseArgs({
  args: process.argv.slice(2),
  options: {
    port: { type: "string" },
    transcript: { type: "boolean", default: true },
    watch: { type: "boolean", default: false },
  },
  allowNegative: true,
});

// What runs before the first lines are printed would stand above their heading.
let hasIntroduced = false;
const demo = await startDemo({
  port: options.port === undefined ? undefined : Number(options.port),
  isWatched: options.watch,
  onCron: (name) => {
    if (hasIntroduced) console.log(`Cron    ${name} has run.`);
  },
});

const stop = () => {
  // Scheduled functions and open pages would keep the process alive.
  void demo.close().finally(() => process.exit(0));
};
process.on("SIGINT", stop);
process.on("SIGTERM", stop);

console.log(`Convex in this process, in memory: for trying and testing. When it stops, its data is gone.
For a real deployment run \`npm run dev\`: it runs the example, a small chat app, with \`convex dev\`.
`);
if (options.transcript) await printTranscript(demo.server.url);
console.log(`Convex  ${demo.server.url}
Page    ${demo.url}
Limits  ${demo.server.siteUrl}/rate-limits/ (a dashboard; its secret here is ${DEMO_SECRET})
Stop with Ctrl-C.`);
hasIntroduced = true;
