import { exceedsThose } from "../chance.js";
import { quantile } from "../measure.js";
import { table } from "../table.js";
import type { Cost } from "./cost.js";
import type { Stage } from "./load.js";
import {
  gaveUpPct,
  isBusy,
  keyVerdict,
  label,
  verdictOf,
  type Run,
} from "./run.js";
import { wayOf } from "./scenarios.js";
import type { Weight } from "./weight.js";

export function weightReport(weights: readonly Weight[]): string {
  return table(weights, {
    in: ({ of }) => of,
    module: ({ module }) => module,
    modules: ({ modules }) => String(modules),
    kB: ({ bytes }) => (bytes / 1000).toFixed(1),
  });
}

/** One line for each way in which a call's limit is kept. */
export function costReport(costs: readonly Cost[]): string {
  const lines = costs.flatMap(({ call, ways }) =>
    ways.map(({ way, ms }) => ({ call, way, ms, ways })),
  );
  const ratio = ({ ms, ways }: (typeof lines)[number], other: string) => {
    const theirs = ways.find(({ way }) => way === other);
    return theirs === undefined ? undefined : (ms / theirs.ms).toFixed(2);
  };
  return table(lines, {
    call: ({ call }) => call,
    way: ({ way }) => way,
    ms: ({ ms }) => ms.toFixed(1),
    "to the incumbent's": (line) => {
      const { limiter, shards } = wayOf(line.way);
      if (limiter !== "ours") return "";
      // One that is split into as many rows, if there is one.
      const split = ratio(line, `incumbent ${shards}`);
      return split ?? ratio(line, "incumbent") ?? "";
    },
    "to one row by hand": (line) => ratio(line, "by hand") ?? "",
  });
}

/** How to read the tables of loads. */
export const LEGEND = `Figures in brackets are the simulator's, for the same calls on a machine on which a call takes as long as it does here
alone, and which bears as many calls. ≠: the two differ by more than a factor of two, and by more than chance explains.
"machine full": of such calls, each on a key of its own, the machine bears little more than this rate, or the client
came late. What then fails or waits says nothing of the limiter. "nothing, ms": a mutation that does nothing, beside
the load. "busy": it waits, too, since retries or other programs keep the machine busy.
Latencies count from the planned time of a call.`;

type Line = { run: Run; i: number; stage: Stage; predicted: Stage };

export function loadReport(runs: readonly Run[]): string {
  const lines = runs.flatMap((run) =>
    run.loaded.stages.map((stage, i): Line => ({
      run,
      i,
      stage,
      predicted: run.forecast.stages[i]!,
    })),
  );
  const first =
    (cell: (run: Run) => string) =>
    ({ run, i }: Line) =>
      i === 0 ? cell(run) : "";
  const failures = runs.flatMap(({ scenario, loaded }) =>
    loaded.stages.flatMap(({ verb, failed, firstFailure }) =>
      firstFailure === undefined
        ? []
        : [
            `- ${label(scenario)}: ${failed} of ${verb} failed otherwise, first by ${firstFailure}`,
          ],
    ),
  );
  const grid = table(lines, {
    "calls a second": first(({ scenario }) => String(scenario.callsPerSecond)),
    asked: first(
      ({ scenario: { verb, place, supply } }) => `${verb} ${place}, ${supply}`,
    ),
    way: first(({ scenario }) => scenario.way),
    verb: ({ stage }) => stage.verb,
    sent: ({ stage }) => String(stage.sent),
    denied: ({ stage }) => String(stage.denied),
    "fail for good, %": ({ stage, predicted }) =>
      compared(
        gaveUpPct(stage),
        gaveUpPct(predicted),
        1,
        isChance(stage, predicted) ? Infinity : 0,
      ),
    "in the first second": ({ stage: { first } }) =>
      `${first.gaveUp} of ${first.sent}`,
    "alone, ms": ({ run, i }) => run.aloneMs[i]!.toFixed(0),
    "p50 ms": latency(0.5),
    "p99 ms": latency(0.99),
    "over-granted": first(
      ({ loaded }) => loaded.judged?.overshootTokens.toFixed(1) ?? "",
    ),
    "machine, %": first(({ scenario, bearable }) =>
      ((100 * scenario.callsPerSecond) / bearable).toFixed(0),
    ),
    "nothing, ms": first(
      ({ loaded, nothingAloneMs }) =>
        `${loaded.nothingMs.toFixed(0)} (${nothingAloneMs.toFixed(0)} alone)`,
    ),
    verdict: first(shownVerdict),
  });
  const others =
    failures.length > 0 ? [`Other failures:\n${failures.join("\n")}`] : [];
  return [grid, ...others].join("\n\n");
}

/** Whether chance may explain that two loads fail for good so often. */
function isChance(a: Stage, b: Stage): boolean {
  const shareOf = ({ gaveUp, sent }: Stage) => ({ failed: gaveUp, sent });
  const [one, other] = [shareOf(a), shareOf(b)];
  return !exceedsThose(one, other) && !exceedsThose(other, one);
}

function shownVerdict(run: Run): string {
  return isBusy(run) ? `${verdictOf(run)}, busy` : verdictOf(run);
}

function latency(share: number) {
  return ({ stage, predicted }: Line) => {
    const answered = stage.latenciesMs.length;
    return compared(
      quantile(stage.latenciesMs, share),
      quantile(predicted.latenciesMs, share),
      0,
      // A quantile beyond which there is no call says nothing.
      answered * (1 - share) < 1 ? Infinity : 5,
    );
  };
}

/** Two figures, marked if they differ by more than a factor of two and by more than `noise`. */
export function compared(
  observed: number,
  predicted: number,
  digits: number,
  noise: number,
): string {
  const [less, more] = [observed, predicted].sort((a, b) => a - b) as [
    number,
    number,
  ];
  const mark = more > 2 * less && more - less > noise ? " ≠" : "";
  return `${observed.toFixed(digits)} (${predicted.toFixed(digits)})${mark}`;
}

/** What one key bears in each way, from runs at rising rates. */
export function bornReport(runs: readonly Run[]): string {
  const byWay = new Map<string, Run[]>();
  for (const run of runs) {
    const { way } = run.scenario;
    byWay.set(way, [...(byWay.get(way) ?? []), run]);
  }
  return table([...byWay], {
    way: ([way]) => way,
    "alone, ms": ([, all]) => all[0]!.aloneMs[0]!.toFixed(1),
    "on many keys, calls a second": ([, all]) => all[0]!.bearable.toFixed(0),
    "one key bears": ([, all]) =>
      borne(all.map((run) => [run, verdictOf(run), shownVerdict(run)])),
    "the simulator's bears": ([, all]) =>
      borne(
        all.map((run) => {
          const verdict = keyVerdict(run.forecast.stages, run.aloneMs);
          return [run, verdict, verdict];
        }),
      ),
  });
}

/** The highest rate before one that a key does not bear, and what happens at that one. */
function borne(
  verdicts: readonly (readonly [Run, verdict: string, shown: string])[],
): string {
  const rates = verdicts.map(([run]) => run.scenario.callsPerSecond);
  const end = verdicts.findIndex(([, verdict]) => verdict !== "bears");
  if (end === -1) return `${rates.at(-1)}, the most that was asked`;
  const [, , shown] = verdicts[end]!;
  const at = `at ${rates[end]}: ${shown}`;
  return end === 0 ? at : `${rates[end - 1]}; ${at}`;
}

/** A line for each run in which our package granted more than the limit allows. */
export function overGrants(runs: readonly Run[]): string[] {
  return runs.flatMap(({ scenario, loaded }) => {
    const { overshootTokens = 0 } = loaded.judged ?? {};
    return scenario.limiter === "ours" && overshootTokens > 0
      ? [`${label(scenario)}: over-granted by ${overshootTokens} tokens`]
      : [];
  });
}

/** A run with a few figures in place of each latency. */
export function figuresOf(run: Run) {
  const short = ({ latenciesMs, ...stage }: Stage) => ({
    ...stage,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  });
  const { loaded, forecast } = run;
  return {
    ...run,
    verdict: verdictOf(run),
    loaded: { ...loaded, stages: loaded.stages.map(short) },
    forecast: { ...forecast, stages: forecast.stages.map(short) },
  };
}
