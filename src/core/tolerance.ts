import type { ShownConfig } from "./config.js";

/** In tokens: a smaller difference is a rounding error. */
export const TOLERANCE = 1e-6;

/**
 * The deficit that counts as zero, in tokens: {@link TOLERANCE}, but for a bucket at most what it
 * refills in a hundredth of a ms. With a period of days, a millionth of a token takes much longer
 * than a ms to arrive, and `retryAfter` is exact to the ms. Never less than the rounding error of
 * floats as large as the capacity.
 */
export function toleranceOf({
  kind,
  rate = 0,
  period = 1,
  capacity = rate,
}: Pick<ShownConfig, "kind" | "rate" | "period" | "capacity">): number {
  const perHundredthMs = Math.max((0.01 * rate) / period, 1e-12 * capacity);
  const deficit =
    kind === "fixed window" ? TOLERANCE : Math.min(TOLERANCE, perHundredthMs);
  return Math.max(deficit, resolutionOf(capacity));
}

/** The rounding error of floats as large as the capacity. */
export function resolutionOf(capacity: number): number {
  return capacity * Number.EPSILON;
}
