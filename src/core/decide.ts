import { grant, type Demand } from "./grant.js";
import type { Limit } from "./limit.js";
import { holdings, total, type Held, type Row } from "./rows.js";
import type { Phase, Phases } from "./phases.js";
import { spread } from "./spread.js";
import { forecast, timeUntilPaid, type Forecast } from "./wait.js";

/** What the demands on one limit and key come to. */
export type Decision =
  | {
      ok: true;
      /** What each demand takes. */
      taken: number[];
      /** The rows that change. */
      writes: Row[];
      /** When what was reserved may run, in ms from now. */
      retryAfter?: number | undefined;
      /** A dry run: the demands that it would have refused. */
      wouldDeny?: number[] | undefined;
    }
  | {
      ok: false;
      /** The demands that are refused, at least one. */
      refused: number[];
      /** When all of them would be granted: see {@link timeUntilGranted}. */
      forecast: Forecast;
    };

/**
 * Decides the demands on a limit, one after the other, on what its rows hold together:
 * all are granted, or none.
 *
 * @param phases What holds now, and what is known to follow.
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
  // What a dry run did not take is not waited for.
  const isAllLetThrough = isRefused && writes.length === 0;
  const retryAfter =
    left < -limit.tolerance && !isAllLetThrough
      ? timeUntilPaid(phases, rows, writes, now)
      : undefined;
  return { ok: true, taken, writes, retryAfter, wouldDeny };
}

/** Whether a ban keeps the demands out. What is taken without asking it does not undo. */
export function isBarred(
  { effect }: Phase,
  demands: readonly Demand[],
): boolean {
  return effect === "banned" && demands.some(({ debt }) => debt !== "any");
}

/**
 * Takes what a demand wants from a few rows that hold it, without a look at the others and
 * without a debt. Undefined if they do not hold it.
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
