import { grant, type Demand } from "./grant.js";
import type { Limit } from "./limit.js";
import type { Phase, Phases } from "./phases.js";
import { type Held, holdings, type Row, total } from "./rows.js";
import { spread } from "./spread.js";
import { forecast, timeUntilPaid, type Forecast } from "./wait.js";

/** The result of the demands on one limit and key. */
export type Decision =
  | {
      ok: true;
      /** The tokens that each demand takes. */
      taken: number[];
      /** The rows to write. */
      writes: Row[];
      /** When reserved work may run, in ms from now. */
      retryAfter?: number | undefined;
      /** In a dry run, the indexes of the demands that would have been refused. */
      wouldDeny?: number[] | undefined;
    }
  | {
      ok: false;
      /** The indexes of the refused demands, at least one. */
      refused: number[];
      /** When all demands would be granted: see {@link timeUntilGranted}. */
      forecast: Forecast;
    };

/**
 * Decides demands on a limit against the total of its rows, one after the other. Grants all of
 * them or none; a dry run takes what it can and lets all through.
 *
 * @param phases The phase that holds now, and those known to follow.
 * @param rows All rows that are stored for the key.
 */
export function decide(
  phases: Phases,
  rows: readonly Row[],
  demands: readonly Demand[],
  now: number,
): Decision {
  const [phase] = phases;
  const { effect, limit } = phase;
  const nothing = () => demands.map(() => 0);
  if (effect === "unlimited") return { ok: true, taken: nothing(), writes: [] };
  const held = holdings(limit, rows, now);
  const balance = total(held);
  const { taken, left, refused } = isBarred(phase, demands)
    ? { taken: nothing(), left: balance, refused: [...demands.keys()] }
    : grant(limit, balance, demands);
  const isRefused = refused.length > 0;
  if (isRefused && limit.enforce) {
    return { ok: false, refused, forecast: forecast(rows, demands) };
  }
  const writes = spread(limit, held, left, now);
  const wouldDeny = isRefused ? refused : undefined;
  // A dry run that took nothing has nothing to wait for.
  const isAllLetThrough = isRefused && writes.length === 0;
  const retryAfter =
    left < -limit.tolerance && !isAllLetThrough
      ? timeUntilPaid(phases, rows, writes, now)
      : undefined;
  return { ok: true, taken, writes, retryAfter, wouldDeny };
}

/** Whether a ban refuses the demands. It never refuses `debt: "any"`, which takes unasked. */
export function isBarred(
  { effect }: Phase,
  demands: readonly Demand[],
): boolean {
  return effect === "banned" && demands.some(({ debt }) => debt !== "any");
}

/**
 * Takes a demand from a few rows without reading the others, and without a debt. Undefined if
 * these rows do not hold enough.
 */
export function takeFrom(
  limit: Limit,
  held: readonly Held[],
  demand: Demand,
  now: number,
): Row[] | undefined {
  const asked: Demand[] = [{ ...demand, debt: "none", upTo: false }];
  const { left, refused } = grant(limit, total(held), asked);
  if (refused.length > 0) return undefined;
  return spread(limit, held, left, now);
}
