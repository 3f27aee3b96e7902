import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { NamedScenario } from "./bar.js";
import type { PhasedScenario } from "./phased.js";
import type { FaultRates } from "../sim/faults.js";

const DEFAULT_FILE = fileURLToPath(
  new URL("./scenarios.json", import.meta.url),
);

const FLAGS = {
  json: { type: "boolean", default: false },
  seeds: { type: "string", default: "8" },
  scenarios: { type: "string", multiple: true },
  only: { type: "string" },
  // For scenarios with phases: "one row", "the rule", "incumbent", "auto", "default".
  variant: { type: "string", multiple: true },
  // Fails only if a run is unsafe, not if a bar is missed.
  safety: { type: "boolean", default: false },
  // Cuts scenarios off after this many virtual seconds.
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

type Values = ReturnType<typeof parse>;

export type Options = {
  seeds: number;
  json: boolean;
  safetyOnly: boolean;
  scenarios: [string, NamedScenario][];
  /** The scenarios whose load changes over time. */
  phased: [string, PhasedScenario][];
  variants: string[] | undefined;
  /** Whether this is the run that the published tables and charts show. */
  isWholeRun: boolean;
};

/** What the command line asks for. */
export async function readOptions(args: string[]): Promise<Options> {
  const values = parse(args);
  const seeds = number(values, "seeds") ?? 0;
  if (!Number.isInteger(seeds) || seeds < 1) {
    throw new Error(`--seeds must be a whole number of at least 1`);
  }
  const { json, seeds: _, ...rest } = values;
  return {
    seeds,
    json,
    safetyOnly: values.safety,
    ...(await readScenarios(values)),
    variants: values.variant,
    isWholeRun: Object.values(rest).every((value) => !value),
  };
}

function parse(args: string[]) {
  return parseArgs({ args, options: FLAGS }).values;
}

async function readScenarios(values: Values) {
  const { scenarios: files = [DEFAULT_FILE], only } = values;
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const all = texts.flatMap((text) =>
    Object.entries(
      JSON.parse(text) as Record<string, NamedScenario | PhasedScenario>,
    ),
  );
  const chosen = all.filter(([name]) => only === undefined || name === only);
  if (chosen.length === 0) {
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
