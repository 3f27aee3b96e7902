import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { NamedScenario } from "./bar.js";
import { LOADS, type Selection } from "./load/scenarios.js";
import type { PhasedScenario } from "./phased.js";
import type { FaultRates } from "../sim/faults.js";

const FLAGS = {
  json: { type: "boolean", default: false },
  seeds: { type: "string" },
  // For the table of verbs: each replaces what the table has.
  verb: { type: "string", multiple: true },
  place: { type: "string", multiple: true },
  supply: { type: "string", multiple: true },
  way: { type: "string", multiple: true },
  rate: { type: "string" },
  // For scenarios in files.
  only: { type: "string" },
  // For scenarios with phases: "one row", "the rule", "incumbent", "auto", "default".
  variant: { type: "string", multiple: true },
  // Fails only if a run is unsafe, not if a bar is missed.
  safety: { type: "boolean", default: false },
  // How many virtual seconds each verb is called for. Scenarios in files are cut off then.
  seconds: { type: "string" },
  // FaultRates, for every scenario.
  "scheduled-after": { type: "string" },
  dropped: { type: "string" },
  doubled: { type: "string" },
  delayed: { type: "string" },
  "delay-ms": { type: "string" },
  killed: { type: "string" },
  "scheduler-dead": { type: "string" },
  long: { type: "string" },
  crons: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parse>["values"];

export type Options = {
  json: boolean;
  safetyOnly: boolean;
  /** The table of verbs, unless only files are asked for. */
  verbs: { selection: Selection; seconds: number; seeds: number } | undefined;
  /** How many seeds each scenario of a file runs with. */
  seeds: number;
  scenarios: [string, NamedScenario][];
  /** The scenarios whose load changes over time. */
  phased: [string, PhasedScenario][];
  variants: string[] | undefined;
};

const VERBS_PART = "verbs";

/**
 * What the command line asks for: files of scenarios, `verbs` for the table of verbs, or both.
 * Default the table.
 */
export async function readOptions(args: string[]): Promise<Options> {
  const { values, positionals } = parse(args);
  const parts = positionals.length > 0 ? positionals : [VERBS_PART];
  const seeds = number(values, "seeds");
  if (seeds !== undefined && (!Number.isInteger(seeds) || seeds < 1)) {
    throw new Error(`--seeds must be a whole number of at least 1`);
  }
  const files = parts.filter((part) => part !== VERBS_PART);
  return {
    json: values.json,
    safetyOnly: values.safety,
    verbs: parts.includes(VERBS_PART) ? verbs(values, seeds ?? 2) : undefined,
    seeds: seeds ?? 8,
    ...(await readScenarios(files, values)),
    variants: values.variant,
  };
}

function parse(args: string[]) {
  return parseArgs({ args, options: FLAGS, allowPositionals: true });
}

function verbs(values: Values, seeds: number): Options["verbs"] {
  const own = LOADS.verbs!;
  const selection = {
    verbs: values.verb ?? own.verbs,
    places: values.place ?? own.places,
    supplies: values.supply ?? own.supplies,
    ways: values.way ?? own.ways,
    rates: [number(values, "rate") ?? 40],
  };
  return { selection, seconds: number(values, "seconds") ?? 20, seeds };
}

async function readScenarios(files: readonly string[], values: Values) {
  const { only } = values;
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const all = texts.flatMap((text) =>
    Object.entries(
      JSON.parse(text) as Record<string, NamedScenario | PhasedScenario>,
    ),
  );
  const chosen = all.filter(([name]) => only === undefined || name === only);
  if (files.length > 0 && chosen.length === 0) {
    throw new Error(
      `no scenario ${only}; there are ${all.map(([name]) => name).join(", ")}`,
    );
  }
  const phased = chosen.filter(isPhased);
  const adapted = chosen
    .filter((one): one is [string, NamedScenario] => !isPhased(one))
    .map(([name, scenario]): [string, NamedScenario] => [
      name,
      adapt(scenario, values),
    ]);
  return { scenarios: adapted, phased };
}

function isPhased(
  named: [string, NamedScenario | PhasedScenario],
): named is [string, PhasedScenario] {
  return "phases" in named[1];
}

/** The scenario as the flags change it. */
function adapt(scenario: NamedScenario, values: Values): NamedScenario {
  const { seconds } = scenario;
  const scheduledAfterMs = number(values, "scheduled-after");
  return {
    ...scenario,
    seconds: Math.min(seconds, number(values, "seconds") ?? seconds),
    ...(scheduledAfterMs !== undefined && { scheduledAfterMs }),
    faults: { ...scenario.faults, ...faults(values) },
    crons: values.crons,
  };
}

function faults(values: Values): FaultRates {
  const dead = values["scheduler-dead"];
  const rates = {
    dropped: number(values, "dropped"),
    doubled: number(values, "doubled"),
    delayed: number(values, "delayed"),
    delayMs: number(values, "delay-ms"),
    killed: number(values, "killed"),
    schedulerDeadSeconds:
      dead === "forever" ? dead : number(values, "scheduler-dead"),
    long: number(values, "long"),
  };
  return Object.fromEntries(
    Object.entries(rates).filter(([, rate]) => rate !== undefined),
  );
}

type TextFlag = Exclude<
  {
    [Flag in keyof Values]: Values[Flag] extends string | undefined
      ? Flag
      : never;
  }[keyof Values],
  undefined
>;

function number(values: Values, flag: TextFlag): number | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text === "" || !Number.isFinite(value) || value < 0) {
    throw new Error(`--${flag} must be a number of at least 0, not ${text}`);
  }
  return value;
}
