import { Deployment } from "../sim/deployment.js";
import { exponential, seededRandom } from "../sim/random.js";
import type { Write } from "../sim/store.js";
import type { ScenarioLimit } from "./exact.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { quantile } from "./measure.js";
import { Oracle } from "./oracle.js";
import { withStart } from "./simulate.js";
import { table } from "./table.js";

/** A limit whose load changes over time, run with several choices of `shards`. */
export type PhasedScenario = {
  config: Omit<ScenarioLimit, "shards">;
  /** The second at which the phase ends, and its calls per second at the start and at the end. */
  phases: [until: number, perSecond: number, last?: number][];
  /** Many calls within a few ms, again and again. */
  bursts?: {
    everySeconds: number;
    size: number;
    withinMs: number;
    from?: number;
  };
  /** How many keys the calls are spread over. Default: calls have no key. */
  keys?: number;
  executionMs: number;
  /** The spans of seconds to report. Default: 0 to 1, 1 to 5, and the rest. */
  windows?: [from: number, to: number][];
  /** The shards that a user would choose, if not by the rule of thumb. */
  ruleShards?: number;
};

type Variant = "one row" | "the rule" | "incumbent" | "auto" | "default";

const VARIANTS: readonly Variant[] = [
  "one row",
  "the rule",
  "incumbent",
  "auto",
  "default",
];

/** The `shards` of a limit that splits itself. */
const SHARDS = { auto: "auto", default: undefined } as const;

/** What became of the calls that arrived in one span of time. */
type Window = {
  calls: number;
  lost: number;
  conflicts: number;
  granted: number;
  falseDenials: number;
  latencies: number[];
  rowsRead: number;
  rowsWritten: number;
};

type Run = {
  windows: Window[];
  /** The rows of all keys at the end of each window, for a limit that splits itself. */
  rows: number[];
  /** How often the number of rows began to grow or to shrink. */
  turns: number;
  jobs: number;
};

/**
 * The shards by the rule of thumb of docs/scaling.md, from the peak rate of calls and their run
 * time.
 */
function ruleOfThumb({ phases, executionMs }: PhasedScenario): number {
  const peak = Math.max(...phases.flatMap(([, a, b = a]) => [a, b]));
  return Math.min(1024, Math.ceil((peak * (executionMs + 5)) / 150));
}

function windowsOf({ phases, windows }: PhasedScenario): [number, number][] {
  const end = phases.at(-1)![0];
  return (
    windows ?? [
      [0, 1],
      [1, 5],
      [5, end],
    ]
  );
}

/** When calls arrive, in ms from the beginning of the run, and the number of their key. */
function arrivalsOf(
  { phases, bursts, keys }: PhasedScenario,
  seed: number,
): { time: number; key: number | undefined }[] {
  const random = seededRandom(seed, "arrivals");
  const keyRandom = seededRandom(seed, "keys");
  const key = () => keys && Math.floor(keyRandom() * keys);
  const all: { time: number; key: number | undefined }[] = [];
  let from = 0;
  for (const [until, begin, end = begin] of phases) {
    const max = Math.max(begin, end);
    let time = from * 1000;
    while (
      max > 0 &&
      (time += exponential(random, max / 1000)) < until * 1000
    ) {
      const passed = (time / 1000 - from) / (until - from);
      const isOne = random() * max < begin + (end - begin) * passed;
      if (isOne) all.push({ time, key: key() });
    }
    from = until;
  }
  if (bursts !== undefined) {
    const { everySeconds, size, withinMs, from: first = 0 } = bursts;
    for (let burst = first; burst < from; burst += everySeconds) {
      for (let i = 0; i < size; i++) {
        all.push({ time: burst * 1000 + random() * withinMs, key: key() });
      }
    }
  }
  return all.sort((a, b) => a.time - b.time);
}

/** Runs a scenario once. Throws if more was granted than the limit allows. */
async function run(
  scenario: PhasedScenario,
  variant: Variant,
  seed: number,
): Promise<Run> {
  const { config, executionMs, ruleShards } = scenario;
  const limiter: Limiter = variant === "incumbent" ? peer : ours;
  const chosenShards =
    variant === "one row" ? 1 : (ruleShards ?? ruleOfThumb(scenario));
  const sent = limiter.toSent({ ...config, shards: chosenShards });
  const splitsItself = variant === "auto" || variant === "default";
  const shards = splitsItself ? SHARDS[variant] : chosenShards;
  let rows = 1;
  let grows: boolean | undefined;
  let turns = 0;
  const watch = (writes: readonly Write[]) => {
    for (const { table: written, before, after } of writes) {
      if (!written.endsWith("rateLimits")) continue;
      const change = splitInto(after) - splitInto(before);
      rows += change;
      if (change === 0 || change > 0 === grows) continue;
      if (grows !== undefined) turns++;
      grows = change > 0;
    }
  };
  const deployment = new Deployment({
    ...limiter,
    executionMs,
    seed,
    watch,
  });
  const edges = windowsOf(scenario);
  const windows = edges.map((): Window => ({
    calls: 0,
    lost: 0,
    conflicts: 0,
    granted: 0,
    falseDenials: 0,
    latencies: [],
    rowsRead: 0,
    rowsWritten: 0,
  }));
  const rowsAt = edges.map(() => 0);
  const oracles = new Map<number | undefined, Oracle>();
  const whole = { ...config, shards: 1 };
  let read = 0;
  let written = 0;
  for (const { time, key } of arrivalsOf(scenario, seed)) {
    const args = {
      name: "limit",
      count: 1,
      config: { ...withStart(sent), shards },
      ...(key !== undefined && { key: `key ${key}` }),
    };
    const nth = edges.findIndex(
      ([a, b]) => time >= a * 1000 && time < b * 1000,
    );
    deployment.call(time, "lib:rateLimit", args, (answer) => {
      const { rowsRead, rowsWritten } = deployment.totals;
      const window = windows[nth];
      if (window !== undefined) {
        window.calls++;
        window.conflicts += answer.conflicts;
        window.rowsRead += rowsRead - read;
        window.rowsWritten += rowsWritten - written;
        rowsAt[nth] = rows;
      }
      [read, written] = [rowsRead, rowsWritten];
      if (answer.kind === "gave up") {
        if (window !== undefined) window.lost++;
        return;
      }
      const { returned, latencyMs } = answer;
      if ("error" in returned) throw returned.error;
      let oracle = oracles.get(key);
      if (oracle === undefined) {
        oracle = new Oracle(whole, { kind: "exact" });
        oracles.set(key, oracle);
      }
      const isGranted = (returned.value as { ok: boolean }).ok;
      const isFalse = isGranted
        ? (oracle.granted(1, answer), false)
        : oracle.denied(1, answer);
      if (window === undefined) return;
      window.latencies.push(latencyMs);
      if (isGranted) window.granted++;
      if (isFalse) window.falseDenials++;
    });
  }
  await deployment.run();
  for (const oracle of oracles.values()) oracle.finish();
  const [cause] = deployment.scheduledErrors;
  if (cause !== undefined) {
    throw new Error("a scheduled mutation failed", { cause });
  }
  return { windows, rows: rowsAt, turns, jobs: deployment.scheduled.runs };
}

/** How many rows a row is split into. */
function splitInto(row: Write["after"]): number {
  return typeof row?.into === "number" ? row.into : 1;
}

type Line = {
  scenario: string;
  variant: string;
  seconds: string;
  window: Window;
  rows: string;
  turns: string;
  jobs: string;
};

/** A table of what each choice of `shards` does under each load. */
export async function reportPhased(
  scenarios: readonly [string, PhasedScenario][],
  seeds: number,
  variants: readonly string[] = VARIANTS,
  progress: (label: string) => void = () => {},
): Promise<string> {
  const lines: Line[] = [];
  for (const [name, scenario] of scenarios) {
    for (const variant of VARIANTS.filter((one) => variants.includes(one))) {
      const runs: Run[] = [];
      for (let seed = 1; seed <= seeds; seed++) {
        progress(`${name}, ${variant}, seed ${seed}`);
        runs.push(await run(scenario, variant, seed));
      }
      for (const [i, [from, to]] of windowsOf(scenario).entries()) {
        const rows = runs.map((one) => one.rows[i]!);
        const isLast = i === windowsOf(scenario).length - 1;
        lines.push({
          scenario: i === 0 ? name : "",
          variant: i === 0 ? variant : "",
          seconds: `${from} to ${to}`,
          window: sumOf(runs.map(({ windows }) => windows[i]!)),
          rows:
            variant !== "auto" && variant !== "default"
              ? ""
              : `${Math.min(...rows)} to ${Math.max(...rows)}`,
          turns: isLast ? `${Math.max(...runs.map((one) => one.turns))}` : "",
          jobs: isLast ? `${Math.max(...runs.map((one) => one.jobs))}` : "",
        });
      }
    }
  }
  const per = (part: number, { calls }: Window) => part / (calls || 1);
  const percent = (part: number, window: Window) =>
    (100 * per(part, window)).toFixed(2);
  return table(lines, {
    scenario: ({ scenario }) => scenario,
    shards: ({ variant }) => variant,
    seconds: ({ seconds }) => seconds,
    calls: ({ window }) => `${window.calls}`,
    "lost %": ({ window }) => percent(window.lost, window),
    conflicts: ({ window }) => per(window.conflicts, window).toFixed(3),
    "false denials %": ({ window }) => percent(window.falseDenials, window),
    granted: ({ window }) => `${window.granted}`,
    "p99 ms": ({ window }) => quantile(window.latencies, 0.99).toFixed(0),
    "rows read": ({ window }) => per(window.rowsRead, window).toFixed(2),
    written: ({ window }) => per(window.rowsWritten, window).toFixed(2),
    rows: ({ rows }) => rows,
    turns: ({ turns }) => turns,
    jobs: ({ jobs }) => jobs,
  });
}

function sumOf(windows: readonly Window[]): Window {
  const all = structuredClone(windows[0]!);
  for (const window of windows.slice(1)) {
    all.calls += window.calls;
    all.lost += window.lost;
    all.conflicts += window.conflicts;
    all.granted += window.granted;
    all.falseDenials += window.falseDenials;
    all.rowsRead += window.rowsRead;
    all.rowsWritten += window.rowsWritten;
    all.latencies = all.latencies.concat(window.latencies);
  }
  all.latencies.sort((a, b) => a - b);
  return all;
}
