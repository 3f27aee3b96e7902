import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as echarts from "echarts";
import { ours, peer } from "./limiters.js";
import { measure, type Figures } from "./measure.js";
import type { Scenario } from "./simulate.js";

const FOLDER = fileURLToPath(new URL("../docs/figures/", import.meta.url));

// 3,000 a minute asked 300 times a second in bursts: enough for everyone, if only the rows were not so hot.
const BURSTS: Scenario = {
  config: { kind: "token bucket", rate: 3000, period: 60_000, shards: 16 },
  arrivalsPerSecond: 300,
  seconds: 60,
  executionMs: 10,
  onOffSeconds: [1.3, 6.7],
};

// From an eighth of what a limit of 400 a second refills to four times that.
const LOADS = [50, 100, 200, 400, 800, 1600];
const SHARDS = [4, 8, 16, 32, 64, 128];

type Point = { x: number; ours: Figures; peer: Figures };

/** Runs the two sweeps and writes their charts. Returns the files' paths. */
export async function drawCharts(
  seeds: number,
  progress: (text: string) => void,
): Promise<string[]> {
  const sweep = async (
    label: string,
    xs: readonly number[],
    at: (x: number) => Scenario,
  ) => {
    const points: Point[] = [];
    for (const x of xs) {
      progress(`chart: ${x} ${label}`);
      points.push({
        x,
        ours: await measure(ours, at(x), seeds),
        peer: await measure(peer, at(x), seeds),
      });
    }
    return points;
  };
  const byShards = await sweep("shards", SHARDS, (shards) => ({
    ...BURSTS,
    config: { ...BURSTS.config, shards },
  }));
  const byLoad = await sweep("requests a second", LOADS, (perSecond) => ({
    config: { kind: "token bucket", rate: 400, period: 1000, shards: 32 },
    arrivalsPerSecond: perSecond,
    seconds: 15,
    executionMs: 10,
  }));
  await mkdir(FOLDER, { recursive: true });
  return Promise.all([
    write("failures-by-shards.svg", {
      title: "Requests that fail for good",
      subtitle: "3,000 a minute, 300 requests a second in bursts, 10 ms each",
      xLabel: "shards",
      yLabel: "% of requests",
      points: byShards,
      value: ({ terminalFailurePct }) => terminalFailurePct,
    }),
    write("conflicts-by-load.svg", {
      title: "Conflicts per request",
      subtitle: "400 tokens a second over 32 shards, 10 ms each",
      xLabel: "requests a second",
      yLabel: "conflicts per request",
      points: byLoad,
      value: ({ conflictsPerRequest }) => conflictsPerRequest,
    }),
  ]);
}

type Chart = {
  title: string;
  subtitle: string;
  xLabel: string;
  yLabel: string;
  points: readonly Point[];
  value: (figures: Figures) => number;
};

async function write(name: string, chart: Chart): Promise<string> {
  const instance = echarts.init(null, null, {
    renderer: "svg",
    ssr: true,
    width: 720,
    height: 400,
  });
  const { points, value } = chart;
  const series = (limiter: string, side: "ours" | "peer", color: string) => ({
    name: limiter,
    type: "line" as const,
    color,
    symbolSize: 7,
    lineStyle: { width: 2.5 },
    data: points.map((point) => Number(value(point[side]).toPrecision(3))),
  });
  instance.setOption({
    animation: false,
    backgroundColor: "#fff",
    title: { text: chart.title, subtext: chart.subtitle, left: 16, top: 8 },
    legend: { right: 16, top: 12 },
    grid: { left: 64, right: 32, top: 100, bottom: 56 },
    xAxis: {
      type: "category",
      name: chart.xLabel,
      nameLocation: "middle",
      nameGap: 32,
      data: points.map(({ x }) => x.toLocaleString("en")),
    },
    yAxis: { type: "value", name: chart.yLabel },
    series: [
      series(peer.name, "peer", "#b45309"),
      series(ours.name, "ours", "#0f766e"),
    ],
  });
  const svg = instance.renderToSVGString();
  instance.dispose();
  await writeFile(`${FOLDER}${name}`, `${svg}\n`);
  return `docs/figures/${name}`;
}
