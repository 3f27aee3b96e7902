import {
  componentsGeneric,
  defineSchema,
  type FunctionReference,
  type GenericDataModel,
  type GenericMutationCtx,
} from "convex/server";
import { convexTest } from "convex-test";
import { Script } from "node:vm";
import { bundle, COMPONENT, evaluation, PEER } from "./evaluation.js";
import { Mounts } from "../sim/components.js";
import { runFunction } from "../sim/functions.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { seededRandom } from "../sim/random.js";
import { Store } from "../sim/store.js";
import { table } from "./table.js";
import { Transaction } from "../sim/transaction.js";

/** What a call costs: means over the samples. */
type Cost = {
  calls: number;
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

/** Modes that the other package lacks. */
const MODES: { mode: string; more: Partial<Config>; shards: number[] }[] = [
  {
    mode: "without shards",
    more: { shards: undefined },
    shards: [1, 16],
  },
  { mode: "with stats", more: { stats: true }, shards: [1, 16] },
];

// The clock stands still between the steps below, and each run draws the same random numbers.
let clock = Date.UTC(2026, 0, 1);
Date.now = () => clock;
Math.random = seededRandom(SEED, "functions");

const evaluations = await evaluation();
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
    `"calls": function calls, the first one included. "ranges": index ranges read.\n` +
    `Rows that are looked at without a dependency are counted as read.\n`,
);
console.log(
  table(lines, {
    verb: ({ verb }) => verb,
    shards: ({ shards }) => String(shards),
    calls: cell("calls", 1),
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

console.log(
  `\nWhat a call evaluates first: its module with all that it imports, in a fresh V8 context.\n`,
);
console.log(evaluations);

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
  if (limiter.modules.lib?.[name] === undefined) return undefined;
  const t = convexTest({
    schema: defineSchema({}),
    modules: { "./_generated/api.ts": async () => ({}) },
    transactionLimits: true,
  });
  t.registerComponent("limiter", limiter.schema, loaders(limiter));
  const callsMade = countCalls();
  const config = { ...configOf(state, shards), ...more };
  for (const limit of ["limit", "second"]) {
    await prepare(state, shards, () =>
      t.run((ctx) => call(ctx, "rateLimit", { name: limit, config })),
    );
  }
  clock += 100;

  // A second reset would find nothing.
  const samples = name === "resetRateLimit" ? 1 : SAMPLES;
  const total: Cost = {
    calls: 0,
    ranges: 0,
    rowsRead: 0,
    bytesRead: 0,
    rowsWritten: 0,
    bytesWritten: 0,
  };
  for (let i = 0; i < samples; i++) {
    await t.run(async (ctx) => {
      const before = await ctx.meta.getTransactionMetrics();
      const callsBefore = callsMade();
      await call(ctx, name, args(config));
      total.calls += callsMade() - callsBefore;
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
    for (let i = 0; i < 12 * shards; i++) await limit();
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
  name: string,
  args: Record<string, unknown>,
): Promise<{ ok: boolean }> {
  const functions = componentsGeneric().limiter!["lib"];
  const reference = (functions as Record<string, unknown>)[name];
  const answer: unknown = QUERIES.includes(name)
    ? await ctx.runQuery(reference as Reference<"query">, args)
    : await ctx.runMutation(reference as Reference<"mutation">, args);
  return answer as { ok: boolean };
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

/** Starts to count calls from function to function. Returns a function that gives the count. */
function countCalls(): () => number {
  type Syscalls = {
    asyncSyscall: (op: string, args: string) => Promise<string>;
  };
  const global = globalThis as unknown as { Convex: Syscalls };
  const inner = global.Convex;
  let calls = 0;
  global.Convex = Object.create(inner, {
    asyncSyscall: {
      value: (op: string, args: string) => {
        if (op === "1.0/runUdf") calls++;
        return inner.asyncSyscall(op, args);
      },
    },
  }) as Syscalls;
  return () => calls;
}

/** Times `rateLimit` of both packages on the simulator's store, in turns. The best round counts. */
async function timeCalls() {
  const bundled = {
    peer: { ...peer, modules: { lib: await evaluate(PEER) } },
    ours: {
      ...ours,
      modules: {
        lib: await evaluate(`${COMPONENT}/lib.ts`),
        lookAtRows: await evaluate(`${COMPONENT}/lookAtRows.ts`),
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
