import { parseArgs } from "node:util";
import type { NamedScenario } from "../bar.js";
import { readOptions } from "../options.js";
import { arrivals } from "../simulate.js";

// Near capacity on few and on many rows, counts, overload, plenty, and a fixed window.
const DEFAULT = ["near4", "near20", "nearCnt", "over2", "plenty16", "fwNear"];

const FLAGS = {
  scenarios: { type: "string", multiple: true },
  only: { type: "string", multiple: true, default: DEFAULT },
  seconds: { type: "string", default: "5" },
  calls: { type: "string", default: "10000" },
  seed: { type: "string", default: "1" },
  // Loads a deployment that is not on this machine without asking.
  yes: { type: "boolean", default: false },
} as const;

export type LoadOptions = {
  scenarios: [string, NamedScenario][];
  seed: number;
  yes: boolean;
  /** How many calls both limiters get together. */
  calls: number;
  /** How long calls are sent for. */
  seconds: number;
};

/** What the command line asks for. Throws if it is more than `--calls`. */
export async function readLoadOptions(args: string[]): Promise<LoadOptions> {
  const { values } = parseArgs({ args, options: FLAGS });
  const files = values.scenarios?.flatMap((file) => ["--scenarios", file]);
  const { scenarios: all } = await readOptions([
    ...(files ?? []),
    "--seconds",
    values.seconds,
  ]);
  const names = all.map(([name]) => name);
  const unknown = values.only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new Error(
      `no scenario ${unknown.join(", ")}; there are ${names.join(", ")}`,
    );
  }
  const scenarios = all.filter(([name]) => values.only.includes(name));
  const seed = whole("seed", values.seed);
  const maxCalls = whole("calls", values.calls);
  const perLimiter = scenarios.map(
    ([, scenario]) => [...arrivals(scenario, seed)].length,
  );
  const calls = 2 * perLimiter.reduce((sum, requests) => sum + requests, 0);
  if (calls > maxCalls) {
    throw new Error(
      `These are ${calls} calls, more than --calls ${maxCalls}: take fewer scenarios by --only NAME, or fewer --seconds.`,
    );
  }
  const seconds =
    2 * scenarios.reduce((sum, [, scenario]) => sum + scenario.seconds, 0);
  return { scenarios, seed, yes: values.yes, calls, seconds };
}

function whole(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new Error(`--${flag} must be a whole number of at least 1`);
  }
  return value;
}
