import { lazy, Suspense } from "react";
import type { ChartProps } from "./LiveChart.js";

// The library is most of the page's weight, and the page works before it is there.
const LiveChart = lazy(async () => {
  const module = await import("./LiveChart.js");
  return { default: module.LiveChart };
});

/** A chart that fills its place, is drawn in the page's colours, and rests out of sight. */
export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div className="chart" />}>
      <LiveChart {...props} />
    </Suspense>
  );
}
