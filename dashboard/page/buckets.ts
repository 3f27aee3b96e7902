import type { Figures } from "../../src/dashboard/reads.js";

/** A bar of a chart. */
export type Bucket = {
  from: number;
  to: number;
  granted: number;
  denied: number;
  wouldDeny: number;
};

/** The bars of some figures, several of their buckets in one where there are many. */
export function bucketsOf(
  { from, step, granted, denied, wouldDeny }: Figures,
  most = 60,
): Bucket[] {
  const perBar = Math.ceil(granted.length / most);
  const bars: Bucket[] = [];
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

export function totalsOf(figures: Figures) {
  const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
  return {
    granted: sum(figures.granted),
    denied: sum(figures.denied),
    wouldDeny: sum(figures.wouldDeny),
  };
}
