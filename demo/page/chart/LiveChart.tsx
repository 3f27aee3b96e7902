import { LineChart, BarChart, ScatterChart } from "echarts/charts";
import {
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
} from "echarts/components";
import { init, use as register, type EChartsCoreOption } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { useEffect, useEffectEvent, useRef } from "react";
import { LONGEST_TIMEOUT_MS, useIsBefore } from "../clock.js";
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

/** How often a chart that moves is drawn at most, in ms. */
const FRAME_MS = 100;
const CALM_FRAME_MS = 1000;

export type Motion = {
  /** When it has come to rest, by the server's clock. */
  until: number;
  /** The time that it shows, in ms: it is not drawn before it has moved by half a pixel. */
  spanMs: number;
};

export type ChartProps = {
  /** What the chart shows, in words. */
  label: string;
  /** For a chart that moves with time, not only with its data. */
  motion?: Motion;
  draw: (colors: Colors, width: number) => EChartsCoreOption;
};

/** See `Chart`, which loads it. */
export function LiveChart({ label, motion, draw }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const isDark = useIsDark();
  const isMoving = useIsBefore(motion?.until ?? 0);
  const spanMs = motion?.spanMs ?? 0;
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
    return () => {
      redraw.current = () => {};
      sizes.disconnect();
      sights.disconnect();
      chart.dispose();
    };
  }, [isDark]);

  useEffect(() => {
    if (!isMoving) return;
    const halfPixelMs = spanMs / place.current!.clientWidth / 2;
    const frameMs = Math.max(
      reducedMotion.matches ? CALM_FRAME_MS : FRAME_MS,
      Math.min(halfPixelMs, LONGEST_TIMEOUT_MS),
    );
    const interval = setInterval(() => redraw.current(), frameMs);
    return () => clearInterval(interval);
  }, [isMoving, spanMs]);

  useEffect(() => redraw.current());

  return <div ref={place} className="chart" role="img" aria-label={label} />;
}
