import { LineChart, BarChart, ScatterChart } from "echarts/charts";
import {
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use as register, type EChartsCoreOption } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { useEffect, useEffectEvent, useRef } from "react";
import { reducedMotion } from "../motion.js";
import { useIsDark } from "../ThemeToggle.js";
import { readColors, type Colors } from "./colors.js";

register([
  LineChart,
  BarChart,
  ScatterChart,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  SVGRenderer,
]);

/** How often a chart that moves is drawn, in ms. */
const FRAME_MS = 100;
const CALM_FRAME_MS = 1000;

export type ChartProps = {
  /** What the chart shows, in words. */
  label: string;
  /** Whether it moves with time, not only with its data. */
  isMoving?: boolean;
  draw: (colors: Colors, width: number) => EChartsCoreOption;
};

/** See `Chart`, which loads it. */
export function LiveChart({ label, isMoving = false, draw }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  const drawNow = useEffectEvent((colors: Colors, width: number) =>
    draw(colors, width),
  );

  const redraw = useRef(() => {});

  useEffect(() => {
    const element = place.current!;
    const chart = init(element, null, { renderer: "svg" });
    const colors = readColors();
    let isVisible = true;
    redraw.current = () => {
      if (isVisible && !document.hidden) {
        chart.setOption(drawNow(colors, chart.getWidth()));
      }
    };
    const sizes = new ResizeObserver(() => {
      chart.resize();
      redraw.current();
    });
    const sights = new IntersectionObserver(([entry]) => {
      isVisible = entry?.isIntersecting ?? true;
      redraw.current();
    });
    sizes.observe(element);
    sights.observe(element);
    const frameMs = reducedMotion.matches ? CALM_FRAME_MS : FRAME_MS;
    const interval = isMoving
      ? setInterval(() => redraw.current(), frameMs)
      : undefined;
    return () => {
      redraw.current = () => {};
      clearInterval(interval);
      sizes.disconnect();
      sights.disconnect();
      chart.dispose();
    };
  }, [isDark, isMoving]);

  useEffect(() => redraw.current());

  return <div ref={place} className="chart" role="img" aria-label={label} />;
}
