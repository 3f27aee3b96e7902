import { firstTime, LAST_MS, timeWhenFull } from "./bucket.js";
import { type Demand, grants, lowest, mostGrantable } from "./demand.js";
import { exceedsCapacityError } from "./errors.js";
import { shareOf, type Limit } from "./limit.js";
import type { Phase, Phases } from "./phases.js";
import { afterWrites, balances, leavesOf, type Row, total } from "./rows.js";

/** Predicts when demands would be granted. */
export type Forecast = {
  /** Whether a phase would grant them at a time. Once true, stays true while the phase holds. */
  isGranted: (phase: Phase, time: number) => boolean;
  /** About when a phase would grant them. */
  guess: (phase: Phase, from: number) => number;
};

/** The demands on one limit and key, with their phases and forecast. */
export type Waiting = {
  phases: Phases;
  demands: readonly Demand[];
  forecast: Forecast;
};

/**
 * In how many ms, at least 1, all demands would be granted together, by the phases known now. If
 * never, about when to ask again.
 *
 * @throws `ExceedsCapacity` if no known phase will ever grant one of the demands.
 */
export function timeUntilGranted(all: readonly Waiting[], now: number): number {
  const waitOf = (one: Waiting, least: number) =>
    firstGrant(one, now, least) ?? timeToAskAgain(one);
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
 * In how many ms, at least `least`, the demands would be granted; undefined if no phase known now
 * will ever grant them.
 */
function firstGrant(
  { phases, demands, forecast: { isGranted, guess } }: Waiting,
  now: number,
  least: number,
): number | undefined {
  // A phase that is not enforced grants everything.
  const isOpen = ({ effect, limit }: Phase) =>
    effect === "unlimited" || !limit.enforce;
  const before = least - 1;
  const wait = firstTimeIn(phases, now + before, {
    isPossible: (phase) =>
      isOpen(phase) ||
      (phase.effect === "limited" &&
        grants(phase.limit, phase.limit.whole.capacity, demands)),
    holds: (phase, time) => isOpen(phase) || isGranted(phase, time),
    guess: (phase, from) => (isOpen(phase) ? from : guess(phase, from)),
  });
  return wait === undefined ? undefined : Math.min(before + wait, LAST_MS);
}

/**
 * When to ask again, in ms: after one period. For a ban without end, or demands that together
 * exceed what the limit can ever grant.
 *
 * @throws `ExceedsCapacity` if one of the demands alone exceeds that.
 */
function timeToAskAgain({ phases, demands }: Waiting): number {
  for (const demand of demands) requirePossible(phases, demand);
  return Math.max(1, Math.ceil(phases.at(-1)!.limit.period));
}

/** @throws `ExceedsCapacity` if the last known phase would never grant the demand. */
function requirePossible(phases: Phases, demand: Demand): void {
  const { limit } = phases.at(-1)!;
  if (grants(limit, limit.whole.capacity, [demand])) return;
  const { count } = demand;
  const ever = Math.max(
    ...phases.map((phase) => mostGrantable(phase.limit, demand)),
  );
  const max = count > ever ? ever : mostGrantable(limit, demand);
  throw exceedsCapacityError(limit.name, count, Math.max(0, max));
}

/** A forecast by the total of all rows. */
export function forecast(
  rows: readonly Row[],
  demands: readonly Demand[],
): Forecast {
  return {
    isGranted: (phase, time) => isGranted(phase, rows, demands, time),
    guess: ({ limit }, from) =>
      timeFor(limit, rows, wanted(limit, demands), from),
  };
}

/** Whether a phase grants all demands at a time, by the total of all rows. */
export function isGranted(
  { effect, limit }: Phase,
  rows: readonly Row[],
  demands: readonly Demand[],
  time: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  const balance = total(balances(limit, rows, time));
  return grants(limit, balance, demands);
}

/** The balance that the limit needs to grant all demands. */
function wanted(limit: Limit, demands: readonly Demand[]): number {
  let tokens = 0;
  let floor = 0;
  for (const demand of demands) {
    const { count, upTo } = demand;
    tokens += upTo ? Math.min(1, count) : count;
    floor = Math.max(floor, lowest(limit, demand));
  }
  return tokens + floor;
}

/** In how many ms the debt that `writes` leave is paid. */
export function timeUntilPaid(
  phases: Phases,
  rows: readonly Row[],
  writes: readonly Row[],
  now: number,
): number {
  const after = afterWrites(rows, writes);
  const wait = firstTimeIn(phases, now, {
    isPossible: () => true,
    holds: ({ limit }, time) =>
      total(balances(limit, after, time)) >= -limit.tolerance,
    guess: ({ limit }, from) => timeFor(limit, after, 0, from),
  });
  return wait ?? LAST_MS;
}

/**
 * In how many ms a limit is full, by the phases known now; 0 if it is full already. For a ban
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
    return balances(limit, rows, time).every(
      ({ value, parts }) => value >= shareOf(limit, parts).capacity - tolerance,
    );
  };
  if (isFull(phases[0], now)) return 0;
  const wait = firstTimeIn(phases, now, {
    isPossible: ({ effect }) => effect !== "banned",
    holds: isFull,
    guess: ({ limit }, from) =>
      leavesOf(limit, rows, from).reduce(
        (time, { parts, row }) =>
          row === undefined
            ? time
            : Math.max(time, timeWhenFull(shareOf(limit, parts), row)),
        from,
      ),
  });
  return wait ?? Math.max(1, Math.ceil(phases.at(-1)!.limit.period));
}

/** About when a limit holds this many tokens. */
function timeFor(
  limit: Limit,
  rows: readonly Row[],
  tokens: number,
  from: number,
): number {
  const held = balances(limit, rows, from);
  const missing = tokens - total(held);
  const { arrivals, rate } = limit.whole;
  const { ts, nextAt } = held[0]!;
  return missing <= 0 ? from : arrivals.when(ts, missing, rate, nextAt);
}

/**
 * In how many ms, at least 1, a condition first holds; undefined if never. Once true, the
 * condition must stay true while the phase lasts.
 */
function firstTimeIn(
  phases: Phases,
  now: number,
  question: {
    /** Whether the condition can ever hold in this phase. */
    isPossible: (phase: Phase) => boolean;
    holds: (phase: Phase, time: number) => boolean;
    /** About when the condition begins to hold. */
    guess: (phase: Phase, from: number) => number;
  },
): number | undefined {
  const { isPossible, holds, guess } = question;
  let from = now;
  for (const phase of phases) {
    // The last whole ms of this phase.
    const last = Math.min(Math.ceil(phase.until) - 1, LAST_MS);
    if (last > from && isPossible(phase)) {
      const before = from;
      const wait = firstTime(
        (ms) => holds(phase, before + ms),
        guess(phase, before) - before,
        last - before,
      );
      if (wait !== undefined) return before + wait - now;
      if (phase.until === Infinity) return LAST_MS;
    }
    from = Math.max(from, last);
  }
  return undefined;
}
