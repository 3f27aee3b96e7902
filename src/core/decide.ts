import { type Demand, takeInTurn } from "./demand.js";
import { remainingOf, shareReached } from "./limit.js";
import type { Phase, Phases } from "./phases.js";
import { sum } from "./sum.js";
import type { Row, View } from "./view.js";
import {
  type Forecast,
  forecastByDebt,
  forecastByTotal,
  timeUntilPaid,
} from "./wait.js";

/** The decision on the demands on one limit key. */
export type Decision =
  | {
      ok: true;
      /** The tokens that each demand takes. */
      taken: number[];
      /** What the state of the key is to write. */
      writes: readonly Row[];
      /** When reserved work may run, in ms from now. */
      retryAfter?: number | undefined;
      /** In a dry run, the indexes of the demands that would have been refused. */
      letThrough?: number[] | undefined;
      /**
       * If the demands are the first to use a share of `warnAt`: that share, and the whole tokens
       * left.
       */
      warning?: { share: number; remaining: number } | undefined;
    }
  | {
      ok: false;
      /** The indexes of the refused demands, at least one. */
      refused: number[];
      /** When all demands would be granted: see {@link timeUntilGranted}. */
      forecast: Forecast;
    };

/** What is given back: how many tokens found room, and what to write. */
export type Credit = { credited: number; writes: readonly Row[] };

/**
 * Decides on demands on a limit key, one after the other. Grants all of them or none; a dry run
 * takes what it can and lets all through.
 *
 * @param phases The phase that applies now, and those known to follow.
 */
export function decide(
  phases: Phases,
  view: View,
  demands: readonly Demand[],
  now: number,
): Decision {
  const [phase] = phases;
  const { limit, config } = phase;
  const balance = view.balance(limit, now);
  const { taken, left, refused } = isRefusedByBan(phase, demands)
    ? takeNothing(balance, demands)
    : takeInTurn(limit, balance, demands);
  const isRefused = refused.length > 0;
  if (isRefused && limit.enforce) {
    if (demands.every(({ debt }) => debt !== "denied")) {
      return { ok: false, refused, forecast: forecastByTotal(view, demands) };
    }
    const owing = balance - sum(demands.map(({ count }) => count));
    const after = view.leaving(limit, owing, now).view;
    return { ok: false, refused, forecast: forecastByDebt(phases, after, now) };
  }
  const isChanged = left !== balance;
  const change = isChanged ? view.leaving(limit, left, now) : undefined;
  // A dry run that took nothing has nothing to wait for.
  const mustWait = left < -limit.tolerance && (isChanged || !isRefused);
  const share = shareReached(limit, balance, left, config.warnAt);
  return {
    ok: true,
    taken,
    writes: change?.writes ?? [],
    retryAfter: mustWait
      ? timeUntilPaid(phases, change?.view ?? view, now)
      : undefined,
    letThrough: isRefused ? refused : undefined,
    warning:
      share === undefined
        ? undefined
        : { share, remaining: remainingOf(limit, left) },
  };
}

/** The decision on demands on a key that has no limit now. */
export function grantUnlimited(demands: readonly Demand[]): Decision {
  return { ok: true, taken: demands.map(() => 0), writes: [] };
}

/**
 * Whether a ban refuses the demands. It never refuses `debt: "any"`, which takes whatever the
 * balance.
 */
export function isRefusedByBan(
  { effect }: Phase,
  demands: readonly Demand[],
): boolean {
  return effect === "banned" && demands.some(({ debt }) => debt !== "any");
}

function takeNothing(
  balance: number,
  demands: readonly Demand[],
): ReturnType<typeof takeInTurn> {
  const refused = [...demands.keys()];
  return { taken: demands.map(() => 0), left: balance, refused };
}
