import { decide } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import { timeUntilGranted } from "../../src/core/wait.js";
import type { Row } from "../../src/core/rows.js";
import type { Phases } from "../../src/core/phases.js";

/** Decides as {@link decide} does, with the wait of a denial. */
export function decideAlone(
  phases: Phases,
  rows: readonly Row[],
  demands: readonly Demand[],
  now: number,
) {
  const decision = decide(phases, rows, demands, now);
  if (decision.ok) return decision;
  const { forecast, ...denial } = decision;
  const retryAfter = timeUntilGranted([{ phases, demands, forecast }], now);
  return { ...denial, retryAfter };
}
