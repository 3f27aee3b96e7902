import type { StatsSeries } from "../../src/dashboard/reads.js";

/** A bar of a chart. */
export type ChartBar = {
  from: number;
  to: number;
  granted: number;
  denied: number;
  wouldDeny: number;
};

/** The bars of a chart. If there are more than `max` intervals, each bar sums up several. */
export function barsOf(
  { from, step, granted, denied, wouldDeny }: StatsSeries,
  max = 60,
): ChartBar[] {
  const perBar = Math.ceil(granted.length / max);
  const bars: ChartBar[] = [];
  for (let i = 0; i < granted.length; i += perBar) {
    const sum = (counts: number[]) =>
      counts.slice(i, i + perBar).reduce((a, b) => a + b, 0);
    bars.push({
      from: from + i * step,
      to: from + Math.min(i + perBar, granted.length) * step,
      granted: sum(granted),
      denied: sum(denied),
      wouldDeny: sum(wouldDeny),
    });
  }
  return bars;
}

export function totalsOf(stats: StatsSeries) {
  const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
  return {
    granted: sum(stats.granted),
    denied: sum(stats.denied),
    wouldDeny: sum(stats.wouldDeny),
  };
}
