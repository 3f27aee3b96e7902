import { firstWaitIn, LAST_MS, timeOfArrival, timeWhenFull } from "./bucket.js";
import {
  type Demand,
  isEnough,
  isPossible,
  lowest,
  mostGrantable,
} from "./demand.js";
import { exceedsCapacityError } from "./errors.js";
import { partOfLimit, type Limit } from "./limit.js";
import type { Phase, Phases } from "./phases.js";
import { afterWrites, allBalances, leavesOf, type Row, total } from "./rows.js";

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

/** A forecast by the total of all rows. */
export function forecastByTotal(
  rows: readonly Row[],
  demands: readonly Demand[],
): Forecast {
  return {
    isGranted: (phase, time) => wouldGrantAll(phase, rows, demands, time),
    guess: ({ limit }, from) =>
      timeWhenEnough(limit, rows, balanceNeeded(limit, demands), from),
  };
}

/** A forecast for demands that are denied until the debt that `writes` would leave is paid. */
export function forecastByDebt(
  phases: Phases,
  rows: readonly Row[],
  writes: readonly Row[],
  now: number,
): Forecast {
  const paidAt = now + timeUntilPaid(phases, rows, writes, now);
  return {
    isGranted: ({ effect }, time) => effect === "limited" && time >= paidAt,
    guess: (_, from) => Math.max(from, paidAt),
  };
}

/** Whether a phase grants all demands at a time, by the total of all rows. */
export function wouldGrantAll(
  { effect, limit }: Phase,
  rows: readonly Row[],
  demands: readonly Demand[],
  time: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  const balance = total(allBalances(limit, rows, time));
  return isEnough(limit, balance, demands);
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

/** The wait in ms until the debt that `writes` leave is paid. */
export function timeUntilPaid(
  phases: Phases,
  rows: readonly Row[],
  writes: readonly Row[],
  now: number,
): number {
  const after = afterWrites(rows, writes);
  const wait = firstWaitIn(
    phases,
    now,
    ({ limit }, time) =>
      total(allBalances(limit, after, time)) >= -limit.tolerance,
    ({ limit }, from) => timeWhenEnough(limit, after, 0, from),
  );
  return Math.min(wait ?? LAST_MS, LAST_MS);
}

/**
 * The wait in ms until a limit is full, by the phases known now; 0 if it is full already. For a ban
 * without end, one period.
 */
export function timeUntilFull(
  phases: Phases,
  rows: readonly Row[],
  now: number,
): number {
  const isFull = ({ effect, limit }: Phase, time: number) => {
    if (effect !== "limited") return effect === "unlimited";
    const { tolerance } = limit;
    return allBalances(limit, rows, time).every(
      ({ value, parts }) =>
        value >= partOfLimit(limit, parts).capacity - tolerance,
    );
  };
  if (isFull(phases[0], now)) return 0;
  const timeWhenAllFull = ({ limit }: Phase, from: number) =>
    leavesOf(limit, rows, from).reduce(
      (time, { parts, row }) =>
        row === undefined
          ? time
          : Math.max(time, timeWhenFull(partOfLimit(limit, parts), row)),
      from,
    );
  const wait = firstWaitIn(phases, now, isFull, (phase, from) =>
    phase.effect === "banned" ? undefined : timeWhenAllFull(phase, from),
  );
  return Math.min(wait ?? lastPeriod(phases), LAST_MS);
}

/** About when a limit holds this many tokens. */
function timeWhenEnough(
  limit: Limit,
  rows: readonly Row[],
  tokens: number,
  from: number,
): number {
  const balances = allBalances(limit, rows, from);
  const missing = tokens - total(balances);
  return missing <= 0
    ? from
    : timeOfArrival(limit.whole, balances[0]!, missing);
}
