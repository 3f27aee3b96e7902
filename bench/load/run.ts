import { quantile } from "../measure.js";
import type { Send } from "./call.js";
import { forecast } from "./forecast.js";
import {
  load,
  NOTHING,
  type Loaded,
  type Observed,
  type Stage,
} from "./load.js";
import { bearable, FULL, timesAlone } from "./machine.js";
import {
  scenariosOf,
  type Config,
  type Scenario,
  type Selection,
} from "./scenarios.js";

/** What became of one scenario, and what the simulator predicted. */
export type Run = {
  part: string;
  scenario: Scenario;
  /** The median time of each of its mutations if nobody else calls. */
  aloneMs: number[];
  /** How many such calls a second the machine bears, each on a key of its own. */
  bearable: number;
  /** How long a mutation that does nothing takes if nobody else calls. */
  nothingAloneMs: number;
  loaded: Loaded;
  forecast: Observed;
};

/** What is found out before a scenario is loaded. */
type Found = Pick<Run, "aloneMs" | "bearable" | "nothingAloneMs">;

export type Setting = {
  seconds: number;
  kind: Config["kind"];
  seed: number;
  workCallMs: number;
  /** How long each of the steps lasts in which it finds out what the machine bears. */
  levelMs: number;
  /** How many calls are timed alone. */
  alone: number;
  progress: (label: string) => void;
};

/** The share of what the machine bears that a part whose rate does not rise may load. */
const MOST_SHARE = 0.5;

/**
 * Runs the scenarios of a selection. Ways to keep a limit take turns at each rate. A rate that
 * neither rises nor was asked for is lowered to what the machine bears.
 */
export async function* runLoads(
  send: Send,
  part: string,
  selection: Selection,
  setting: Setting,
): AsyncGenerator<Run> {
  for (const verb of selection.verbs) {
    for (const place of selection.places) {
      const group = { ...selection, verbs: [verb], places: [place] };
      const found = new Map<string, Found>();
      const first = { ...group, rates: selection.rates.slice(0, 1) };
      for (const scenario of scenariosOf(first, setting)) {
        if (found.has(scenario.way)) continue;
        setting.progress(`${part}: ${label(scenario)}, alone`);
        found.set(scenario.way, await findOut(send, scenario, setting));
      }
      const least = Math.min(...[...found.values()].map((f) => f.bearable));
      const { rises, isAsked } = selection;
      const rates =
        rises || isAsked ? selection.rates : lowered(selection.rates, least);
      const done = new Set<string>();
      for (const scenario of scenariosOf({ ...group, rates }, setting)) {
        const { way, supply, callsPerSecond } = scenario;
        if (done.has(`${way}, ${supply}`)) continue;
        setting.progress(
          `${part}: ${label(scenario)}, ${callsPerSecond} a second`,
        );
        const known = found.get(way)!;
        const run: Run = {
          part,
          scenario,
          ...known,
          loaded: await load(send, scenario, {
            seed: setting.seed,
            work: workOf(scenario, setting),
          }),
          forecast: await forecast(scenario, known, setting.seed),
        };
        if (rises && verdictOf(run) !== "bears") {
          done.add(`${way}, ${supply}`);
        }
        yield run;
      }
    }
  }
}

/** Rates that leave room on the machine. Two that become the same are one. */
export function lowered(rates: readonly number[], bearable: number): number[] {
  const most = Math.max(1, Math.floor(MOST_SHARE * bearable));
  return [...new Set(rates.map((rate) => Math.min(rate, most)))];
}

async function findOut(
  send: Send,
  scenario: Scenario,
  setting: Setting,
): Promise<Found> {
  // On a limit that denies nobody.
  const plenty = { rate: 1e6, period: 1000, capacity: 1e6 };
  const { limiter, mutations } = scenario;
  const config = { ...scenario.config, ...plenty };
  const asked = { limiter, mutations, config };
  const work = workOf(scenario, setting);
  const { alone: calls, levelMs } = setting;
  const aloneMs = await timesAlone(send, asked, { calls, work });
  const nothing = { ...NOTHING, config };
  const [nothingAloneMs = 0] = await timesAlone(send, nothing, { calls });
  return {
    aloneMs,
    nothingAloneMs,
    bearable: await bearable(send, asked, { levelMs, work }),
  };
}

function workOf({ workMs }: Scenario, { workCallMs }: Setting): number {
  return Math.round(workMs / workCallMs);
}

export type Verdict = "bears" | "fails" | "waits" | "machine full";

const MOST_FAILING_PCT = 1;
const WAITS = 3;
const MOST_LATE_MS = 100;

/**
 * Whether the key bears the load. Calls that fail or wait while the machine is full say nothing of
 * the limiter.
 */
export function verdictOf(
  run: Pick<Run, "scenario" | "bearable" | "loaded" | "aloneMs">,
): Verdict {
  const { scenario, bearable, loaded, aloneMs } = run;
  const { stages, lateMs } = loaded;
  const isFull = scenario.callsPerSecond >= FULL * bearable;
  if (isFull || lateMs > MOST_LATE_MS) return "machine full";
  return keyVerdict(stages, aloneMs);
}

/** Whether a mutation that does nothing waits, too: for retries, or for other programs. */
export function isBusy({ loaded, nothingAloneMs }: Run): boolean {
  return loaded.nothingMs > WAITS * nothingAloneMs;
}

/** The verdict on a key, whatever the machine bears. */
export function keyVerdict(
  stages: readonly Stage[],
  aloneMs: readonly number[],
): Exclude<Verdict, "machine full"> {
  const fails = stages.some(
    // A single call proves little.
    (stage) => stage.gaveUp > 1 && gaveUpPct(stage) > MOST_FAILING_PCT,
  );
  if (fails) return "fails";
  const waits = stages.some(
    ({ latenciesMs }, i) => quantile(latenciesMs, 0.5) > WAITS * aloneMs[i]!,
  );
  return waits ? "waits" : "bears";
}

export function gaveUpPct({ gaveUp, sent }: Stage): number {
  return sent === 0 ? 0 : (100 * gaveUp) / sent;
}

export function label({ verb, place, supply, way }: Scenario): string {
  return `${verb} ${place}, ${supply}, ${way}`;
}
