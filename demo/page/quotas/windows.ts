import { calculateRateLimit } from "convex-rate-limiter";
import type { Plan } from "../../convex/exports.js";

/** The time from one start to the next. */
export type Window = { from: number; to: number };

/** The window of a calendar that holds a time. */
export function windowAt(plan: Plan, time: number): Window {
  const config = { kind: "fixed window" as const, rate: 1, ...plan };
  // What is one too many is paid when the next window begins.
  const { windowStart = time, retryAfter = 0 } = calculateRateLimit(
    null,
    config,
    time,
    2,
  );
  return { from: windowStart, to: time + retryAfter };
}

/** The windows of a calendar that are within a stretch of time, those at its ends included. */
export function windowsWithin(plan: Plan, { from, to }: Window): Window[] {
  const windows = [windowAt(plan, from)];
  for (;;) {
    const last = windows.at(-1)!;
    if (last.to >= to) return windows;
    windows.push(windowAt(plan, last.to));
  }
}
