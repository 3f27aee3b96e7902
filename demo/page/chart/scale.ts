export type Scale = { min: number; max: number; interval: number };

/** As many steps are aimed at. */
const STEPS = 5;

/** The axis that covers a range and zero, from tick to tick, in round steps. */
export function roundScale(lowest: number, highest: number): Scale {
  const low = Math.min(0, lowest);
  const high = Math.max(0, highest);
  const interval = roundStep((high - low) / STEPS || 1);
  // Sums of tenths are not exact: 0.3 must not need a tick at 0.4.
  const steps = (value: number) => Math.round((value / interval) * 1e6) / 1e6;
  return {
    min: Math.floor(steps(low)) * interval || 0,
    max: Math.ceil(steps(high)) * interval || interval,
    interval,
  };
}

/** The smallest of 1, 2, 5, 10, 20, ... and their tenths that is no less. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5].find((f) => f * power >= step * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What a clock face and a calendar have as round steps. */
const TIME_STEPS = [
  ...[SECOND, MINUTE].flatMap((unit) =>
    [1, 2, 5, 10, 15, 30].map((n) => n * unit),
  ),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
];

/** The round step of a time axis that has about so many ticks. */
export function timeStep(spanMs: number, ticks: number): number {
  const step = spanMs / ticks;
  if (step <= SECOND) return roundStep(step);
  return (
    TIME_STEPS.find((ms) => ms >= step) ??
    Math.max(1, roundStep(step / DAY)) * DAY
  );
}
