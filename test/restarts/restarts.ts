import { ConvexClient, ConvexHttpClient } from "convex/browser";
import type { FunctionArgs } from "convex/server";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { pushApp } from "../../bench/load/push.js";
import { versionsOf } from "../../bench/load/versions.js";
import { api } from "../app/convex/_generated/api.js";
import { Backend } from "./backend.js";
import { faultsOf } from "./oracle.js";

/*
 * `npm run test:restarts -- [--times 20] [--apart] -- COMMAND [ARGUMENT ...]`
 *
 * Kills a backend in the middle of a load, starts it again on its data, and compares what the
 * clients were told, the app's rows, the limits and the jobs that have run. CONTRIBUTING.md says
 * how to call it.
 */

const { values, positionals: command } = parseArgs({
  args: process.argv.slice(2),
  options: {
    times: { type: "string", default: "20" },
    /** Seen to fail: the app takes a token and writes its row in two transactions. */
    apart: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const url = process.env.CONVEX_SELF_HOSTED_URL;
if (url === undefined || command.length === 0) {
  throw new Error(
    "usage: CONVEX_SELF_HOSTED_URL=… CONVEX_SELF_HOSTED_ADMIN_KEY=… npm run test:restarts -- [--times 20] [--apart] -- COMMAND [ARGUMENT ...]",
  );
}

const APP = fileURLToPath(new URL("../app", import.meta.url));
const HTTP_CLIENTS = 8;
/** Loops that share the WebSocket, so that it has several requests under way. */
const LOOPS_ON_WEBSOCKET = 3;
/** Everything that is waited for has to come in this time. No answer depends on how fast it comes. */
const MAX_WAIT_MS = 300_000;

type Grant = Omit<FunctionArgs<typeof api.grants.take>, "mayBeOld">;
type Name = Grant["name"];
type Ask = (
  grant: Grant,
  mayBeOld: boolean,
) => Promise<{ ok: boolean; isOld: boolean }>;

const NAMES: Name[] = [
  "unsplit",
  "split",
  "splitByLoad",
  "held",
  "scarce",
  "queued",
];
const load = crypto.randomUUID();
const answers = new Map<Name, Map<string, { ok: boolean }>>(
  NAMES.map((name) => [name, new Map()]),
);
const cut = { asked: 0, committed: 0 };
let isOver = false;

async function until(what: string, isSo: () => boolean | Promise<boolean>) {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`Never came: ${what}`);
    await sleep(20);
  }
}

/** Asks until it is told to stop; a request without an answer again, under the same id. */
function startLoop(ask: Ask) {
  const loop = { answered: 0, ended: Promise.resolve() };
  const run = async () => {
    for (let i = 0; !isOver; i++) {
      const name = NAMES[i % NAMES.length]!;
      const grant = { load, name, id: crypto.randomUUID() };
      let isCut = false;
      await until(`an answer for ${name}`, async () => {
        try {
          const { ok, isOld } = await ask(grant, isCut);
          answers.get(name)!.set(grant.id, { ok });
          if (isCut) cut.asked++;
          if (isOld) cut.committed++;
          return true;
        } catch {
          isCut = true;
          return false;
        }
      });
      loop.answered++;
    }
  };
  loop.ended = run();
  return loop;
}

function newHttpClient() {
  return new ConvexHttpClient(url!, {
    logger: false,
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(MAX_WAIT_MS) }),
  });
}

/** What happens to its requests it does not know. */
function askOverHttp(): Ask {
  const client = newHttpClient();
  return (grant, mayBeOld) =>
    values.apart && grant.name !== "held" && grant.name !== "queued"
      ? client.action(api.grants.takeApart, grant)
      : client.mutation(api.grants.take, { ...grant, mayBeOld });
}

async function listed(table: "grants" | "runs", name: Name): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let isDone = false; !isDone;) {
    const result: { page: string[]; isDone: boolean; continueCursor: string } =
      await http.query(api.grants.list, {
        ...{ table, load, name },
        paginationOpts: { numItems: 1_000, cursor },
      });
    ids.push(...result.page);
    isDone = result.isDone;
    cursor = result.continueCursor;
  }
  return ids;
}

const backend = new Backend(url, command);
if (await backend.answers()) throw new Error(`Something answers at ${url}.`);
await backend.start();
const http = newHttpClient();
const webSocket = new ConvexClient(url, {
  logger: false,
  // Node 20 has no WebSocket of its own.
  webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
});
try {
  for (const [what, version] of Object.entries(await versionsOf(url))) {
    console.log(`- ${what}: ${version}`);
  }
  await pushApp(url, APP);

  const from = await http.mutation(api.verbs.now, {});
  let lastSeen: string | null = null;
  webSocket.onUpdate(
    api.grants.lastRun,
    { load, name: "queued" },
    (id) => (lastSeen = id),
  );
  const loops = [
    ...Array.from({ length: HTTP_CLIENTS }, () => startLoop(askOverHttp())),
    // It sends again by itself what it got no answer for, and the backend runs it once.
    ...Array.from({ length: LOOPS_ON_WEBSOCKET }, () =>
      startLoop((grant) =>
        webSocket.mutation(api.grants.take, { ...grant, mayBeOld: false }),
      ),
    ),
  ];
  const ended = Promise.all(loops.map((loop) => loop.ended));
  const goOn = async () => {
    const before = loops.map(({ answered }) => answered);
    const each = 3 + Math.floor(Math.random() * 10);
    const all = until("answers for every client", () =>
      loops.every(({ answered }, i) => answered >= before[i]! + each),
    );
    await Promise.race([all, ended]);
  };
  for (let i = 1; i <= Number(values.times); i++) {
    await goOn();
    await sleep(Math.random() * 50);
    await backend.kill();
    await backend.start();
    console.log(
      `${i}: killed and started again, after ${loops.reduce((n, loop) => n + loop.answered, 0)} answers`,
    );
  }
  await goOn();
  isOver = true;
  await ended;

  for (const name of ["held", "queued"] as const) {
    const grants = await listed("grants", name);
    await until(
      `the jobs of ${name}`,
      async () => (await listed("runs", name)).length >= grants.length,
    );
  }
  const elapsed = (await http.mutation(api.verbs.now, {})) - from;
  const lastRun = await http.query(api.grants.lastRun, {
    load,
    name: "queued",
  });
  await until("the live query's last result", () => lastSeen === lastRun);

  const found = await Promise.all(
    NAMES.map(async (name) => {
      const hasJobs = name === "held" || name === "queued";
      const hasAll = name !== "scarce" && name !== "queued";
      return {
        name,
        answers: answers.get(name)!,
        grants: await listed("grants", name),
        runs: hasJobs ? await listed("runs", name) : undefined,
        taken: hasAll
          ? await http.mutation(api.grants.missing, { load, name })
          : undefined,
        mayGrant: name === "scarce" ? 20 + elapsed / 1_000 : undefined,
      };
    }),
  );
  console.log(`\n${values.times} times killed and started again.`);
  for (const { name, answers, grants, taken, mayGrant, runs } of found) {
    console.log(
      [
        `- ${name}: ${answers.size} answers, ${grants.length} grants`,
        taken === undefined ? [] : `${taken} tokens left it`,
        mayGrant === undefined ? [] : `at most ${mayGrant.toFixed(1)} may be`,
        runs === undefined ? [] : `${runs.length} jobs ran`,
      ]
        .flat()
        .join(", "),
    );
  }
  console.log(
    `- ${cut.asked} requests over HTTP were cut off and asked again; ${cut.committed} of them had been granted`,
  );
  const faults = found.flatMap(faultsOf);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await webSocket.close();
  await backend.kill();
  process.exit();
}
