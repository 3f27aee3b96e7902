import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as echarts from "echarts";
import type { ScenarioLimit } from "./exact.js";
import { ours, peer, type Limiter } from "./limiters.js";
import { measure, type Measurement } from "./measure.js";
import type { Scenario } from "./simulate.js";

const FOLDER = fileURLToPath(new URL("./figures/", import.meta.url));

// A limit of 3,000 a minute, called 300 times a second in bursts. There are tokens for every call,
// but the rows are too hot.
const BURSTS: Scenario = {
  config: { kind: "token bucket", rate: 3000, period: 60_000, shards: 16 },
  arrivalsPerSecond: 300,
  seconds: 60,
  executionMs: 10,
  onOffSeconds: [1.3, 6.7],
};

const FAST = { kind: "token bucket", rate: 400, period: 1000 } as const;

// Calls per second, from an eighth of the refill rate to four times that rate.
const LOADS = [50, 100, 200, 400, 800, 1600];
const SHARDS = [4, 8, 16, 32, 64, 128];

const SHARDED = { ...FAST, shards: 32 };

const OURS = "#0f766e";
const PEER = "#b45309";

/** A limiter in one mode. */
type Line = {
  name: string;
  limiter: Limiter;
  config: ScenarioLimit;
  color: string;
};

const THEIRS = { limiter: peer, color: PEER };
const MINE = { limiter: ours, color: OURS };

const MODES: Line[] = [
  {
    name: "one row, either package",
    limiter: ours,
    config: { ...FAST, shards: 1 },
    color: "#334155",
  },
  { ...THEIRS, name: `32 shards, ${peer.name}`, config: SHARDED },
  { ...MINE, name: "32 shards", config: SHARDED },
];

/** Runs the sweeps and writes their charts. Returns the files' paths. */
export async function drawCharts(
  seeds: number,
  progress: (text: string) => void,
): Promise<string[]> {
  const sweep = async (
    label: string,
    xs: readonly number[],
    lines: readonly Line[],
    at: (x: number, line: Line) => Scenario,
  ) => {
    const swept = lines.map((line) => ({
      ...line,
      figures: [] as Measurement[],
    }));
    for (const x of xs) {
      progress(`chart: ${x} ${label}`);
      for (const line of swept) {
        line.figures.push(await measure(line.limiter, at(x, line), seeds));
      }
    }
    return { label, xs, lines: swept };
  };
  const { config: bursts } = BURSTS;
  const byShards = await sweep(
    "shards",
    SHARDS,
    [
      { ...THEIRS, name: peer.name, config: bursts },
      { ...MINE, name: ours.name, config: bursts },
    ],
    (shards) => ({ ...BURSTS, config: { ...bursts, shards } }),
  );
  const byLoad = await sweep(
    "requests a second",
    LOADS,
    MODES,
    (perSecond, { config }) => ({
      config,
      arrivalsPerSecond: perSecond,
      seconds: 15,
      executionMs: 10,
    }),
  );
  const sharded = byLoad.lines
    .filter(({ config }) => config === SHARDED)
    .map((line) => ({ ...line, name: line.limiter.name }));
  const failures = {
    yLabel: "% of requests",
    value: ({ terminalFailurePct }: Measurement) => terminalFailurePct,
  };
  await mkdir(FOLDER, { recursive: true });
  return Promise.all([
    write("failures-by-shards.svg", {
      ...failures,
      ...byShards,
      title: "Requests that fail for good, by shards",
      subtitle: "3,000 a minute, 300 requests a second in bursts, 10 ms each",
    }),
    write("failures-by-load.svg", {
      ...failures,
      ...byLoad,
      title: "Requests that fail for good, by mode",
      subtitle: "400 tokens a second, 10 ms each",
    }),
    write("conflicts-by-load.svg", {
      ...byLoad,
      lines: sharded,
      title: "Conflicts per request",
      subtitle: "400 tokens a second over 32 shards, 10 ms each",
      yLabel: "conflicts per request",
      value: ({ conflictsPerRequest }) => conflictsPerRequest,
    }),
  ]);
}

type Chart = {
  title: string;
  subtitle: string;
  label: string;
  xs: readonly number[];
  yLabel: string;
  lines: readonly (Line & { figures: readonly Measurement[] })[];
  value: (figures: Measurement) => number;
};

/** With more lines than this, the legend goes below the title. */
const MAX_BESIDE = 2;

async function write(fileName: string, chart: Chart): Promise<string> {
  const instance = echarts.init(null, null, {
    renderer: "svg",
    ssr: true,
    width: 720,
    height: 400,
  });
  const { xs, lines, value } = chart;
  const isBeside = lines.length <= MAX_BESIDE;
  instance.setOption({
    animation: false,
    backgroundColor: "#fff",
    title: { text: chart.title, subtext: chart.subtitle, left: 16, top: 8 },
    legend: isBeside ? { right: 16, top: 12 } : { left: 16, top: 64 },
    grid: { left: 64, right: 32, top: isBeside ? 100 : 148, bottom: 56 },
    xAxis: {
      type: "category",
      name: chart.label,
      nameLocation: "middle",
      nameGap: 32,
      data: xs.map((x) => x.toLocaleString("en")),
    },
    yAxis: { type: "value", name: chart.yLabel },
    series: lines.map(({ name, color, figures }) => ({
      name,
      type: "line" as const,
      color,
      symbolSize: 7,
      lineStyle: { width: 2.5 },
      data: figures.map((one) => Number(value(one).toPrecision(3))),
    })),
  });
  const svg = instance.renderToSVGString();
  instance.dispose();
  await writeFile(`${FOLDER}${fileName}`, `${svg}\n`);
  return `bench/figures/${fileName}`;
}
