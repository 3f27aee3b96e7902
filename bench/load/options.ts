import { parseArgs } from "node:util";
import {
  LOADS,
  scenariosOf,
  STANDARD,
  TIMED,
  type Config,
  type Selection,
} from "./scenarios.js";

const FLAGS = {
  // Each of these replaces what the parts that load a key have by themselves.
  verb: { type: "string", multiple: true },
  place: { type: "string", multiple: true },
  supply: { type: "string", multiple: true },
  way: { type: "string", multiple: true },
  rate: { type: "string", multiple: true },
  kind: { type: "string", default: "token bucket" },
  seconds: { type: "string", default: "8" },
  rounds: { type: "string", default: "200" },
  seed: { type: "string", default: "1" },
  json: { type: "string" },
  // Does not deploy the app first.
  "no-push": { type: "boolean", default: false },
  // Loads a deployment that is not on this machine without asking.
  yes: { type: "boolean", default: false },
} as const;

export type LoadOptions = {
  weighs: boolean;
  times: boolean;
  loads: [part: string, selection: Selection][];
  kind: Config["kind"];
  seconds: number;
  rounds: number;
  seed: number;
  json: string | undefined;
  pushes: boolean;
  yes: boolean;
  /** How many calls this makes at most, and how long they take, before retries. */
  calls: number;
  callSeconds: number;
};

/** What the command line asks for: parts by their names, and flags. */
export function readLoadOptions(args: string[]): LoadOptions {
  const { values, positionals } = parseArgs({
    args,
    options: FLAGS,
    allowPositionals: true,
  });
  const known = ["weight", "cost", ...Object.keys(LOADS)];
  const unknown = positionals.filter((part) => !known.includes(part));
  if (unknown.length > 0) {
    throw new Error(
      `no part ${unknown.join(", ")}; there are ${known.join(", ")}`,
    );
  }
  const { kind } = values;
  if (kind !== "token bucket" && kind !== "fixed window") {
    throw new Error('--kind is "token bucket" or "fixed window"');
  }
  const parts =
    positionals.length > 0 ? positionals : ["weight", "cost", ...STANDARD];
  const loads = parts.flatMap((part): LoadOptions["loads"] => {
    const own = LOADS[part];
    if (own === undefined) return [];
    const { verb, place, supply, way, rate } = values;
    const selection = {
      ...own,
      ...(verb && { verbs: verb }),
      ...(place && { places: place }),
      ...(supply && { supplies: supply }),
      ...(way && { ways: way }),
      ...(rate && {
        rates: rate.map((text) => positive("rate", text)),
        isAsked: true as const,
      }),
    };
    return [[part, selection]];
  });
  const seconds = positive("seconds", values.seconds);
  const rounds = whole("rounds", values.rounds);
  const times = parts.includes("cost");
  const scenarios = loads.flatMap(([, selection]) =>
    scenariosOf(selection, { seconds, kind }),
  );
  const turns = times
    ? TIMED.reduce((sum, { ways }) => sum + ways.length * rounds, 0)
    : 0;
  return {
    weighs: parts.includes("weight"),
    times,
    loads,
    kind,
    seconds,
    rounds,
    seed: whole("seed", values.seed),
    json: values.json,
    pushes: !values["no-push"],
    yes: values.yes,
    calls: scenarios.reduce(
      (sum, { callsPerSecond, mutations }) =>
        sum + Math.ceil(callsPerSecond * seconds * mutations.length),
      turns,
    ),
    callSeconds: scenarios.length * seconds,
  };
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`--${flag} must be a number above 0`);
}

function whole(flag: string, text: string): number {
  const value = positive(flag, text);
  if (Number.isInteger(value)) return value;
  throw new Error(`--${flag} must be a whole number`);
}
