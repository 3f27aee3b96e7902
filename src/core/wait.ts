import { firstWaitIn, LAST_MS } from "./bucket.js";
import {
  type Demand,
  isEnough,
  isPossible,
  lowest,
  mostGrantable,
} from "./demand.js";
import { exceedsCapacityError } from "./errors.js";
import type { Limit } from "./limit.js";
import type { Phase, Phases } from "./phases.js";
import type { View } from "./view.js";

/** Predicts when denied demands would be granted. */
export type Forecast = {
  /** Whether a phase would grant them at a time. Once true, it stays true while the phase lasts. */
  isGranted: (phase: Phase, time: number) => boolean;
  /** About when a phase would grant them. */
  guess: (phase: Phase, from: number) => number;
};

/** The demands on one limit key, with their phases and forecast. */
export type Waiting = {
  phases: Phases;
  demands: readonly Demand[];
  forecast: Forecast;
};

/**
 * The wait in ms, at least 1, until all demands would be granted together, by the phases known now.
 * If they never would, about how long to wait before asking again.
 *
 * @throws `ExceedsCapacity` if no known phase will ever grant one of the demands.
 */
export function timeUntilGranted(all: readonly Waiting[], now: number): number {
  const waitOf = (one: Waiting, least: number) =>
    timeUntilKeyGranted(one, now, least) ?? timeUntilRetry(one);
  if (all.length === 1) return waitOf(all[0]!, 1);
  let wait = 0;
  // Repeat until all agree: a later override may deny what an earlier phase would grant.
  for (let longest = 1; longest > wait;) {
    wait = longest;
    longest = Math.max(...all.map((one) => waitOf(one, wait)));
  }
  return wait;
}

/**
 * The wait in ms, at least `least`, until the demands would be granted; undefined if no phase known
 * now will ever grant them.
 */
function timeUntilKeyGranted(
  { phases, demands, forecast: { isGranted, guess } }: Waiting,
  now: number,
  least: number,
): number | undefined {
  // An unlimited phase grants everything, and so does one that is not enforced.
  const grantsAll = ({ effect, limit }: Phase) =>
    effect === "unlimited" || !limit.enforce;
  const before = least - 1;
  const mayGrant = ({ effect, limit }: Phase) =>
    effect === "limited" && isPossible(limit, demands);
  const wait = firstWaitIn(
    phases,
    now + before,
    (phase, time) => grantsAll(phase) || isGranted(phase, time),
    (phase, from) => {
      if (grantsAll(phase)) return from;
      return mayGrant(phase) ? guess(phase, from) : undefined;
    },
  );
  return wait === undefined ? undefined : Math.min(before + wait, LAST_MS);
}

/**
 * How long to wait before asking again, in ms: one period. For bans without end, and for demands
 * that together exceed what the limit can ever grant.
 *
 * @throws `ExceedsCapacity` if one of the demands alone exceeds that.
 */
function timeUntilRetry({ phases, demands }: Waiting): number {
  const { limit } = phases.at(-1)!;
  for (const demand of demands) {
    if (isPossible(limit, [demand])) continue;
    const most = phases.map((phase) => mostGrantable(phase.limit, demand));
    const ever = Math.max(...most);
    const { count } = demand;
    const max = count > ever ? ever : mostGrantable(limit, demand);
    throw exceedsCapacityError(limit.name, count, Math.max(0, max));
  }
  return lastPeriod(phases);
}

/** The period of the last known phase, in whole ms. */
function lastPeriod(phases: Phases): number {
  return Math.max(1, Math.ceil(phases.at(-1)!.limit.period));
}

/** A forecast by the whole balance. */
export function forecastByTotal(
  view: View,
  demands: readonly Demand[],
): Forecast {
  return {
    isGranted: (phase, time) => wouldGrantAll(phase, view, demands, time),
    guess: ({ limit }, from) =>
      timeWhenEnough(limit, view, balanceNeeded(limit, demands), from),
  };
}

/** A forecast for demands that are denied until the debt that they would leave is paid. */
export function forecastByDebt(
  phases: Phases,
  after: View,
  now: number,
): Forecast {
  const paidAt = now + timeUntilPaid(phases, after, now);
  return {
    isGranted: ({ effect }, time) => effect === "limited" && time >= paidAt,
    guess: (_, from) => Math.max(from, paidAt),
  };
}

/** Whether a phase grants all demands at a time, by the whole balance. */
export function wouldGrantAll(
  { effect, limit }: Phase,
  view: View,
  demands: readonly Demand[],
  time: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  return isEnough(limit, view.balance(limit, time), demands);
}

/** The balance that the limit needs to grant all demands. */
function balanceNeeded(limit: Limit, demands: readonly Demand[]): number {
  let tokens = 0;
  let floor = 0;
  for (const demand of demands) {
    const { count, upTo } = demand;
    tokens += upTo ? Math.min(1, count) : count;
    floor = Math.max(floor, lowest(limit, demand));
  }
  return tokens + floor;
}

/** The wait in ms until a debt is paid. */
export function timeUntilPaid(phases: Phases, view: View, now: number): number {
  const wait = firstWaitIn(
    phases,
    now,
    ({ limit }, time) => view.balance(limit, time) >= -limit.tolerance,
    ({ limit }, from) => timeWhenEnough(limit, view, 0, from),
  );
  return Math.min(wait ?? LAST_MS, LAST_MS);
}

/**
 * The wait in ms until a limit is full, by the phases known now; 0 if it is full already. For a ban
 * without end, one period.
 */
export function timeUntilFull(phases: Phases, view: View, now: number): number {
  const isFull = ({ effect, limit }: Phase, time: number) => {
    if (effect !== "limited") return effect === "unlimited";
    const { whole, tolerance } = limit;
    return view.balance(limit, time) >= whole.capacity - tolerance;
  };
  if (isFull(phases[0], now)) return 0;
  const wait = firstWaitIn(phases, now, isFull, ({ effect, limit }, from) =>
    effect === "banned"
      ? undefined
      : timeWhenEnough(limit, view, limit.whole.capacity, from),
  );
  return Math.min(wait ?? lastPeriod(phases), LAST_MS);
}

/** About when a limit holds this many tokens. */
function timeWhenEnough(
  limit: Limit,
  view: View,
  tokens: number,
  from: number,
): number {
  const missing = tokens - view.balance(limit, from);
  return missing <= 0 ? from : view.arrival(limit, missing, from);
}
