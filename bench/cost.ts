import {
  componentsGeneric,
  defineSchema,
  type FunctionReference,
  type GenericDataModel,
  type GenericMutationCtx,
} from "convex/server";
import { convexTest } from "convex-test";
import { build } from "esbuild";
import { Script } from "node:vm";
import { Mounts } from "../sim/components.js";
import { runFunction } from "../sim/functions.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { weigh, type Weight } from "./load/weight.js";
import { seededRandom } from "../sim/random.js";
import { Store } from "../sim/store.js";
import { bundleApp } from "../test/push/bundle.js";
import { table } from "./table.js";
import { Transaction } from "../sim/transaction.js";

/** What a call loads, in all of its function calls, and what it costs: means over the samples. */
type Cost = {
  modules: number;
  kB: number;
  calls: number;
  looks: number;
  ranges: number;
  rowsRead: number;
  bytesRead: number;
  rowsWritten: number;
  bytesWritten: number;
};

type Line = {
  verb: string;
  shards: number;
  ours: Cost | undefined;
  peer: Cost | undefined;
};

type State = "stocked" | "empty";

/** A verb, the state that it meets, and the function and arguments with which clients call it. */
type Verb = [
  verb: string,
  state: State,
  name: string,
  args?: (config: Config) => Record<string, unknown>,
];

type Config = {
  kind: "token bucket";
  rate: number;
  period: number;
  shards?: number | undefined;
  stats?: true;
};

const SHARDS = [1, 4, 16, 64];
const SAMPLES = 50;
const SEED = 1;
const CPU_ROUNDS = 10;
const CPU_CALLS = 5000;
const GRANTED = "limit, granted";
const TOKENS_PER_SHARD: Record<State, number> = { stocked: 1000, empty: 4 };
/** How long after the one before each call comes, in ms. Calls at once would split a stocked limit. */
const STEP_MS: Record<State, number> = { stocked: 100, empty: 0 };

const one = (config: Config) => ({ name: "limit", config });
const LIMIT: Verb[] = [
  [GRANTED, "stocked", "rateLimit"],
  ["limit, denied", "empty", "rateLimit"],
];
const VERBS: Verb[] = [
  ...LIMIT,
  [
    "limit, reserved",
    "empty",
    "rateLimit",
    (config) => ({ ...one(config), reserve: true }),
  ],
  ["check, granted", "stocked", "checkRateLimit"],
  ["check, denied", "empty", "checkRateLimit"],
  ["getValue", "stocked", "getValue"],
  ["reset", "stocked", "resetRateLimit", () => ({ name: "limit" })],
  [
    "limitAll of 2, granted",
    "stocked",
    "limitAll",
    (config) => ({
      limits: [one(config), { ...one(config), name: "second" }],
    }),
  ],
  ["credit", "empty", "credit"],
  ["charge", "stocked", "charge"],
];
const QUERIES = ["checkRateLimit", "getValue"];
const COMPONENT = "src/component";
const PEER = "node_modules/@convex-dev/rate-limiter/dist/component/lib.js";

/** Modes that the other package lacks. */
const MODES: { mode: string; more: Partial<Config>; shards: number[] }[] = [
  {
    mode: "without shards",
    more: { shards: undefined },
    shards: [1, 16],
  },
  { mode: "with stats", more: { stats: true }, shards: [1, 16] },
];

// The clock moves only where this file moves it, and each run draws the same random numbers.
let clock = Date.UTC(2026, 0, 1);
Date.now = () => clock;
Math.random = seededRandom(SEED, "functions");

const weights = weigh(await bundleApp("bench/load"));
// First, since timings depend on what has run before.
const cpuLines = await timeCalls();

const lines: Line[] = [];
for (const verb of VERBS) {
  for (const shards of SHARDS) {
    const both = {
      ours: await measure(ours, verb, shards),
      peer: await measure(peer, verb, shards),
    };
    lines.push({ verb: verb[0], shards, ...both });
  }
}
for (const { mode, more, shards: all } of MODES) {
  for (const verb of LIMIT) {
    for (const shards of all) {
      const mine = await measure(ours, verb, shards, more);
      const named = `${verb[0]}, ${mode}`;
      lines.push({ verb: named, shards, ours: mine, peer: undefined });
    }
  }
}
const cell = (field: keyof Cost, digits: number) => (line: Line) =>
  `${line.peer?.[field].toFixed(digits) ?? "-"} → ${line.ours?.[field].toFixed(digits) ?? "-"}`;
console.log(
  `Means of ${SAMPLES} calls, seed ${SEED}. Each cell: ${peer.name} → ${ours.name}; "-" where it has no such verb.\n` +
    `"modules" and "kB": what the first call loads, in all of its function calls. "calls": function calls, the\n` +
    `first one and looks included. "ranges": index ranges read.\n` +
    `Rows that are looked at without a dependency are counted as read.\n`,
);
console.log(
  table(lines, {
    verb: ({ verb }) => verb,
    shards: ({ shards }) => String(shards),
    modules: cell("modules", 1),
    kB: cell("kB", 0),
    calls: cell("calls", 1),
    looks: cell("looks", 1),
    ranges: cell("ranges", 1),
    "rows read": cell("rowsRead", 1),
    "bytes read": cell("bytesRead", 0),
    "rows written": cell("rowsWritten", 1),
    "bytes written": cell("bytesWritten", 0),
  }),
);
console.log(
  `\nCPU per call on the simulator's store, the best of ${CPU_ROUNDS} rounds.\n`,
);
console.log(
  table(cpuLines, {
    call: (line) => line.call,
    shards: ({ shards }) => String(shards),
    [`${peer.name}, µs`]: ({ peerUs }) => peerUs.toFixed(1),
    [`${ours.name}, µs`]: ({ oursUs }) => oursUs.toFixed(1),
    ratio: ({ peerUs, oursUs }) => (oursUs / peerUs).toFixed(2),
  }),
);

console.log(`\n${cpuBars(cpuLines)}`);

/**
 * Reports whether the CPU time of calls is within its bars. Timings vary, so a miss fails nothing.
 */
function cpuBars(timed: Awaited<ReturnType<typeof timeCalls>>): string {
  const misses = timed.flatMap(({ call: name, shards, peerUs, oursUs }) => {
    const ratio = oursUs / peerUs;
    // A denial on a split limit reads more rows than the other package's two.
    const max = name.startsWith(GRANTED) ? 1.1 : shards > 1 ? 2 : Infinity;
    return ratio > max
      ? [`${name} on ${shards} ${ratio.toFixed(2)} > ${max}`]
      : [];
  });
  const bars = `granted <= 1.1 x, denied on a split limit <= 2 x ${peer.name}`;
  return misses.length === 0
    ? `The CPU bars hold: ${bars}.`
    : `The CPU bars do not hold (${bars}): ${misses.join("; ")}.`;
}

/** Measures one verb of a limiter, mounted in an app of its own. */
async function measure(
  limiter: Limiter,
  [, state, name, args = one]: Verb,
  shards: number,
  more: Partial<Config> = {},
): Promise<Cost | undefined> {
  const module = moduleOf(limiter, name);
  if (module === undefined) return undefined;
  const t = convexTest({
    schema: defineSchema({}),
    modules: { "./_generated/api.ts": async () => ({}) },
    transactionLimits: true,
  });
  t.registerComponent("limiter", limiter.schema, loaders(limiter));
  const callsMade = watchCalls();
  const config = { ...configOf(state, shards), ...more };
  for (const limit of ["limit", "second"]) {
    await prepare(state, shards, () =>
      t.run((ctx) => call(ctx, "lib", "rateLimit", { name: limit, config })),
    );
  }
  clock += 100;

  // A second reset would find nothing.
  const samples = name === "resetRateLimit" ? 1 : SAMPLES;
  const total: Cost = {
    modules: 0,
    kB: 0,
    calls: 0,
    looks: 0,
    ranges: 0,
    rowsRead: 0,
    bytesRead: 0,
    rowsWritten: 0,
    bytesWritten: 0,
  };
  for (let i = 0; i < samples; i++) {
    clock += STEP_MS[state];
    await t.run(async (ctx) => {
      const before = await ctx.meta.getTransactionMetrics();
      callsMade.length = 0;
      await call(ctx, module, name, args(config));
      for (const { of, isLook } of callsMade) {
        const { modules, bytes } = weightOf(limiter, of);
        total.modules += modules;
        total.kB += bytes / 1000;
        total.calls++;
        if (isLook) total.looks++;
      }
      const after = await ctx.meta.getTransactionMetrics();
      const used = (metric: keyof typeof after) =>
        after[metric].used - before[metric].used;
      total.ranges += used("databaseQueries");
      total.rowsRead += used("documentsRead");
      total.bytesRead += used("bytesRead");
      total.rowsWritten += used("documentsWritten");
      total.bytesWritten += used("bytesWritten");
    });
  }
  for (const field of Object.keys(total) as (keyof Cost)[]) {
    total[field] /= samples;
  }
  return total;
}

function configOf(state: State, shards: number): Config {
  const rate = TOKENS_PER_SHARD[state] * shards;
  return { kind: "token bucket", rate, period: 60_000, shards };
}

/** Makes each row exist, and either leaves it nearly full or drains it. */
async function prepare(
  state: State,
  shards: number,
  limit: () => Promise<{ ok: boolean }>,
): Promise<void> {
  if (state === "stocked") {
    for (let i = 0; i < 12 * shards; i++) {
      clock += STEP_MS[state];
      await limit();
    }
    return;
  }
  for (let denials = 0; denials < 2 * shards;) {
    if (!(await limit()).ok) denials++;
  }
}

type Reference<Kind extends "query" | "mutation"> = FunctionReference<
  Kind,
  "internal"
>;

async function call(
  ctx: GenericMutationCtx<GenericDataModel>,
  module: string,
  name: string,
  args: Record<string, unknown>,
): Promise<{ ok: boolean }> {
  const functions = componentsGeneric().limiter![module];
  const reference = (functions as Record<string, unknown>)[name];
  const answer: unknown = QUERIES.includes(name)
    ? await ctx.runQuery(reference as Reference<"query">, args)
    : await ctx.runMutation(reference as Reference<"mutation">, args);
  return answer as { ok: boolean };
}

/** The module in which a limiter registers a function; undefined if it has none of that name. */
function moduleOf({ modules }: Limiter, name: string): string | undefined {
  return ["lib", "verbs"].find(
    (module) => modules[module]?.[name] !== undefined,
  );
}

/** What a function of this module loads on a deployment. */
function weightOf({ name }: Limiter, module: string): Weight {
  return weights.find(
    (weight) => weight.of === name && weight.module === `${module}.js`,
  )!;
}

/** convex-test finds a component's root by its `_generated` folder. */
function loaders({ modules }: Limiter) {
  return {
    "./_generated/api.ts": async () => ({}),
    ...Object.fromEntries(
      Object.entries(modules).map(([name, module]) => [
        `./${name}.ts`,
        async () => module,
      ]),
    ),
  };
}

/** Starts to note calls from function to function: the module called, and whether it is a look. */
function watchCalls(): { of: string; isLook: boolean }[] {
  type Syscalls = {
    asyncSyscall: (op: string, args: string) => Promise<string>;
  };
  const global = globalThis as unknown as { Convex: Syscalls };
  const inner = global.Convex;
  const calls: { of: string; isLook: boolean }[] = [];
  global.Convex = Object.create(inner, {
    asyncSyscall: {
      value: (op: string, args: string) => {
        if (op === "1.0/runUdf") {
          const { udfType, reference, name } = JSON.parse(args) as UdfCall;
          const path = (reference ?? name)!;
          const of = /(?:^|\/)(\w+)[/:]\w+$/.exec(path)![1]!;
          calls.push({ of, isLook: udfType === "snapshotQuery" });
        }
        return inner.asyncSyscall(op, args);
      },
    },
  }) as Syscalls;
  return calls;
}

type UdfCall = { udfType: string; reference?: string; name?: string };

/** Times `rateLimit` of both packages on the simulator's store, in turns. The best round counts. */
async function timeCalls() {
  const bundled = {
    peer: { ...peer, modules: { lib: await evaluate(PEER) } },
    ours: {
      ...ours,
      modules: {
        lib: await evaluate(`${COMPONENT}/lib.ts`),
        looks: await evaluate(`${COMPONENT}/looks.ts`),
      },
    },
  };
  const results = [];
  for (const [name, state] of [
    [GRANTED, "stocked"],
    ["limit, denied", "empty"],
    ["limit, granted, without shards", "stocked"],
  ] as const) {
    const isDefault = name.endsWith("without shards");
    for (const shards of isDefault ? [1] : [1, 16]) {
      const peerRound = await prepareRounds(bundled.peer, state, shards);
      const more = isDefault ? { shards: undefined } : {};
      const oursRound = await prepareRounds(bundled.ours, state, shards, more);
      let [peerUs, oursUs] = [Infinity, Infinity];
      for (let round = 0; round < CPU_ROUNDS; round++) {
        peerUs = Math.min(peerUs, await peerRound());
        oursUs = Math.min(oursUs, await oursRound());
      }
      results.push({ call: name, shards, peerUs, oursUs });
    }
  }
  return results;
}

/**
 * Evaluates a module as one script, as a deployment does: calls between Vite's modules are slower.
 */
async function evaluate(file: string): Promise<Record<string, unknown>> {
  const script = new Script(
    `(() => { ${await bundle(file)} return module; })()`,
  );
  return script.runInThisContext() as Record<string, unknown>;
}

/** A module with all that it imports, as a script that assigns it to the variable `module`. */
async function bundle(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: "iife",
    globalName: "module",
    write: false,
    platform: "browser",
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

/**
 * Prepares a limit. Returns a function that runs one round and returns its µs of CPU per call. What
 * the calls write is not committed, so each call finds the same rows.
 */
async function prepareRounds(
  limiter: Limiter,
  state: State,
  shards: number,
  more: Partial<Config> = {},
) {
  // A deployment checks arguments and results outside of what is measured here.
  const mounts = new Mounts(limiter, { checksValidators: false });
  const store = new Store(mounts);
  const config = { ...configOf(state, shards), ...more };
  const args = { name: "limit", config };
  const run = async () => {
    const snapshot = { store, mounts, now: clock, ts: 0n };
    const transaction = new Transaction(snapshot);
    const answer = await runFunction(
      transaction,
      { path: "", name: "lib:rateLimit" },
      args,
    );
    return { answer: answer as { ok: boolean }, transaction };
  };
  await prepare(state, shards, async () => {
    const { answer, transaction } = await run();
    store.apply(transaction.writes);
    return answer;
  });
  clock += 100;
  return async () => {
    const before = process.cpuUsage();
    for (let i = 0; i < CPU_CALLS; i++) await run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / CPU_CALLS;
  };
}
