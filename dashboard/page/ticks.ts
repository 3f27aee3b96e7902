import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/periods.js";

/** The smallest of 1, 2, 5, 10, 20, ... and their tenths that is no less. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5].find((f) => f * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** About how many ticks an axis of amounts has. */
const TICKS = 5;

/** Ticks from 0 in round steps, up to the first that is at least `max`. */
export function amountTicks(max: number): number[] {
  const step = roundStep(max / TICKS || 1);
  // Sums of tenths are not exact: 0.3 must not need a tick at 0.4.
  const count = Math.max(1, Math.ceil(Math.round((1e6 * max) / step) / 1e6));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** Round steps of time, up to 12 hours. */
const TIME_STEPS = [
  ...[SECOND, MINUTE].flatMap((unit) =>
    [1, 2, 5, 10, 15, 30].map((n) => n * unit),
  ),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];

/** The round step with which a time axis of `spanMs` has about `ticks` ticks. */
export function timeStep(spanMs: number, ticks: number): number {
  const step = spanMs / ticks;
  if (step <= SECOND) return roundStep(step);
  return (
    TIME_STEPS.find((ms) => ms >= step) ??
    Math.max(1, roundStep(step / DAY)) * DAY
  );
}

/** About `count` round times between two, by the reader's clock. */
export function timeTicks(from: number, to: number, count: number): number[] {
  const step = timeStep(to - from, count);
  const zone = -new Date(from).getTimezoneOffset() * MINUTE;
  const ticks: number[] = [];
  let time = Math.ceil((from + zone) / step) * step - zone;
  for (; time <= to; time += step) ticks.push(time);
  return ticks;
}
