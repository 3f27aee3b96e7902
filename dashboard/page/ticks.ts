import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/periods.js";

/** The smallest of 1, 2, 5, 10, 20, ... and their tenths that is no less. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5].find((f) => f * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

/** As many ticks of amounts are aimed at. */
const TICKS = 5;

/** From zero up, in round steps, to what covers the most. */
export function amountTicks(most: number): number[] {
  const step = roundStep(most / TICKS || 1);
  // Sums of tenths are not exact: 0.3 must not need a tick at 0.4.
  const count = Math.max(1, Math.ceil(Math.round((1e6 * most) / step) / 1e6));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** What a clock face and a calendar have as round steps. */
const TIME_STEPS = [
  ...[SECOND, MINUTE].flatMap((unit) =>
    [1, 2, 5, 10, 15, 30].map((n) => n * unit),
  ),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];

/** The round step of a line of time that has about so many ticks. */
export function timeStep(spanMs: number, ticks: number): number {
  const step = spanMs / ticks;
  if (step <= SECOND) return roundStep(step);
  return (
    TIME_STEPS.find((ms) => ms >= step) ??
    Math.max(1, roundStep(step / DAY)) * DAY
  );
}

/** At most so many times between two, at whole hours or days of the reader's clock. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const step = timeStep(to - from, most);
  const zone = -new Date(from).getTimezoneOffset() * MINUTE;
  const ticks: number[] = [];
  let at = Math.ceil((from + zone) / step) * step - zone;
  for (; at <= to; at += step) ticks.push(at);
  return ticks;
}
