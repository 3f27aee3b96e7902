import { MEASURED } from "../sim/prices.js";
import { exceeds, exceedsThose, type Share } from "./chance.js";
import { simulateRuns, type Simulated } from "./load/forecast.js";
import {
  scenariosOf,
  type Scenario,
  type Selection,
} from "./load/scenarios.js";
import { quantile } from "./measure.js";
import { table } from "./table.js";

/** What became of one mutation of a scenario in the simulator. */
export type Line = { scenario: Scenario; i: number; stage: Simulated };

/** A mutation that fails for good too often: how many of its calls, and which bars it misses. */
export type Miss = { line: Line; worst: Share; bars: string[] };

/** Runs each scenario of a selection, with the seeds from 1 to `seeds`. */
export async function runVerbs(
  selection: Selection,
  {
    seconds,
    seeds,
    progress,
  }: { seconds: number; seeds: number; progress: (label: string) => void },
): Promise<Line[]> {
  const lines: Line[] = [];
  const scenarios = scenariosOf(selection, { seconds, kind: "token bucket" });
  for (const scenario of scenarios) {
    progress(`${scenario.verb}, ${scenario.place}`);
    const pace = { ownMs: scenario.workMs, prices: MEASURED };
    const { stages } = await simulateRuns(scenario, pace, {
      seed: 1,
      runs: seeds,
    });
    stages.forEach((stage, i) => lines.push({ scenario, i, stage }));
  }
  return lines;
}

/** The most that may fail for good; with ample tokens only in the first second. */
const BAR = 0.01;
const LATER_BAR = 0.001;
/** The same, at any time, in mutations that work this long besides; and for what makes debts. */
const LONG_MS = 200;
const LONG_BAR = 0.05;
const LONG_DEBT_BAR = 0.1;
const DEBTS = ["reserve", "charge", "cancel"];
const AMPLE = "healthy";
const IN_FIRST_SECOND = " in the first second";
/** Nobody may fail more often than the other package in as many rows. */
const RIVAL = "incumbent 10";

const whole = ({ gaveUp, sent }: Simulated): Share => ({
  failed: gaveUp,
  sent,
});
const firstSecond = ({ first }: Simulated): Share => ({
  failed: first.gaveUp,
  sent: first.sent,
});
const later = ({ gaveUp, sent, first }: Simulated): Share => ({
  failed: gaveUp - first.gaveUp,
  sent: sent - first.sent,
});

/** The mutations of our package that miss a bar by more than chance explains, the worst first. */
export function missesOf(lines: readonly Line[]): Miss[] {
  const byId = new Map(lines.map((line) => [idOf(line), line]));
  const like = (line: Line, changes: Partial<Scenario>) =>
    byId.get(idOf({ i: 0, scenario: { ...line.scenario, ...changes } }));
  const misses = lines.flatMap((line): Miss[] => {
    const { scenario, i, stage } = line;
    if (scenario.limiter !== "ours") return [];
    const all = whole(stage);
    const rival = i === 0 ? like(line, { way: RIVAL }) : undefined;
    // What gives back comes second.
    const limit = i > 0 ? like(line, { verb: "limit" }) : undefined;
    const checked: (readonly [Share, isMissed: boolean, bar: string])[] = [
      ...(scenario.workMs >= LONG_MS
        ? [fixed(all, DEBTS.includes(scenario.verb) ? LONG_DEBT_BAR : LONG_BAR)]
        : scenario.supply === AMPLE
          ? [
              fixed(firstSecond(stage), BAR, IN_FIRST_SECOND),
              fixed(later(stage), LATER_BAR, " later"),
            ]
          : [fixed(all, BAR)]),
      ...(rival ? [relative(all, rival, RIVAL)] : []),
      ...(limit ? [relative(all, limit, "limit")] : []),
    ];
    const missed = checked.filter(([, isMissed]) => isMissed);
    if (missed.length === 0) return [];
    const [[worst]] = missed.sort(([a], [b]) => shareOf(b) - shareOf(a)) as [
      (typeof missed)[0],
    ];
    return [{ line, worst, bars: missed.map(([, , bar]) => bar) }];
  });
  return misses.sort((a, b) => shareOf(b.worst) - shareOf(a.worst));
}

function fixed(share: Share, bar: number, when = "") {
  return [share, exceeds(share, bar), `${100 * bar}%${when}`] as const;
}

function relative(share: Share, { stage }: Line, name: string) {
  const other = whole(stage);
  const bar = `${name}'s ${percent(other)}%`;
  return [share, exceedsThose(share, other), bar] as const;
}

function idOf({ scenario, i }: Pick<Line, "scenario" | "i">): string {
  const { verb, place, supply, way, callsPerSecond } = scenario;
  return JSON.stringify([verb, i, place, supply, way, callsPerSecond]);
}

/**
 * One line for each mutation and place. Each cell has one figure for each way to keep the limit,
 * marked if it misses a bar.
 */
export function verbsReport(
  lines: readonly Line[],
  misses: readonly Miss[],
): string {
  const missed = new Map(misses.map(({ line, bars }) => [line, bars]));
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const { scenario, i } = line;
    const id = JSON.stringify([scenario.verb, i, scenario.place]);
    groups.set(id, [...(groups.get(id) ?? []), line]);
  }
  const ways = [...new Set(lines.map(({ scenario }) => scenario.way))];
  const supplies = [...new Set(lines.map(({ scenario }) => scenario.supply))];
  const failing = (supply: string, share: (stage: Simulated) => Share) =>
    joined((line) => {
      if (line.scenario.supply !== supply) return undefined;
      const isMissed = missed
        .get(line)
        ?.some(
          (bar) => bar.endsWith(IN_FIRST_SECOND) === (share === firstSecond),
        );
      return `${percent(share(line.stage))}${isMissed ? "!" : ""}`;
    });
  const most = (what: "rowsRead" | "looks") => (group: Line[]) =>
    ways
      .map((way) =>
        group
          .filter(({ scenario }) => scenario.way === way)
          .map(({ stage }) => stage.counts[what] / stage.sent),
      )
      .filter((figures) => figures.length > 0)
      .map((figures) => show(Math.max(...figures)))
      .join(" · ");
  const columns = supplies.flatMap((supply) =>
    supply === AMPLE
      ? [
          [`${supply}, first second`, failing(supply, firstSecond)] as const,
          [`${supply}, later`, failing(supply, later)] as const,
        ]
      : [[supply, failing(supply, whole)] as const],
  );
  return [
    `Calls that fail for good, %: ${ways.join(" · ")}. "!" misses a bar. Rows read and looks: a call, with all attempts, at the supply with most.`,
    table([...groups.values()], {
      scenario: ([line]) => `${line!.scenario.verb}, ${line!.scenario.place}`,
      mutation: ([line]) => line!.stage.verb,
      ...Object.fromEntries(columns),
      "rows read": most("rowsRead"),
      looks: most("looks"),
    }),
  ].join("\n\n");
}

function joined(cell: (line: Line) => string | undefined) {
  return (group: Line[]) =>
    group.flatMap((line) => cell(line) ?? []).join(" · ");
}

/** The mutations that miss a bar, one a line. */
export function missesReport(misses: readonly Miss[]): string {
  const per = (part: number, { sent }: Simulated) => show(part / sent);
  return table([...misses], {
    "fail for good, %": ({ worst }) => percent(worst),
    of: ({ worst }) => String(worst.sent),
    misses: ({ bars }) => bars.join(", "),
    scenario: ({ line: { scenario } }) =>
      `${scenario.verb}, ${scenario.place}, ${scenario.supply}`,
    mutation: ({ line: { stage } }) => stage.verb,
    shards: ({ line: { scenario } }) => scenario.way,
    "rows read": ({ line: { stage } }) => per(stage.counts.rowsRead, stage),
    peeked: ({ line: { stage } }) => per(stage.counts.rowsPeeked, stage),
    looks: ({ line: { stage } }) => per(stage.counts.looks, stage),
    written: ({ line: { stage } }) => per(stage.counts.rowsWritten, stage),
  });
}

/** A line with a few figures in place of each latency. */
export function figuresOf({ scenario, stage }: Line) {
  const { latenciesMs, ...figures } = stage;
  return {
    scenario,
    ...figures,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  };
}

const shareOf = ({ failed, sent }: Share) => (sent === 0 ? 0 : failed / sent);
const percent = (share: Share) => show(100 * shareOf(share));
const show = (value: number) =>
  Number.isFinite(value) ? String(Number(value.toPrecision(2))) : "";
