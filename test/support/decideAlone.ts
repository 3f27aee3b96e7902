import { decide } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import type { Phases } from "../../src/core/phases.js";
import type { Row } from "../../src/core/view.js";
import { timeUntilGranted } from "../../src/core/wait.js";
import { viewOfRows } from "../../src/state/spread/rows.js";

/** Decides as {@link decide} does, by all rows, with the wait of a denial. */
export function decideAlone(
  phases: Phases,
  rows: readonly Row[],
  demands: readonly Demand[],
  now: number,
) {
  const decision = decide(phases, viewOfRows(rows), demands, now);
  if (decision.ok) return decision;
  const { forecast, ...denial } = decision;
  const retryAfter = timeUntilGranted([{ phases, demands, forecast }], now);
  return { ...denial, retryAfter };
}
