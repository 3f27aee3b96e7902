import { firstTime, LAST_MS, timeWhenFull } from "./bucket.js";
import { exceedsCapacityError } from "./errors.js";
import { grants, lowest, mostGrantable, type Demand } from "./grant.js";
import type { Limit } from "./limit.js";
import { holdings, total, type Row } from "./rows.js";
import type { Phase, Phases } from "./phases.js";

/** When demands would be granted. */
export type Forecast = {
  /** Whether they would be, under a phase at a time; stays true as long as the phase holds. */
  isGranted: (phase: Phase, at: number) => boolean;
  /** About when. */
  guess: (phase: Phase, from: number) => number;
};

/** The demands on one limit and key, and when they would be granted. */
export type Waiting = {
  phases: Phases;
  demands: readonly Demand[];
  forecast: Forecast;
};

/**
 * The first whole ms from now, at least 1, at which all would be granted together, by what is
 * known now. If they never would be, about when to ask again.
 *
 * @throws `ExceedsCapacity` if nothing that is known will ever grant one of the demands.
 */
export function timeUntilGranted(all: readonly Waiting[], now: number): number {
  const waitOf = (one: Waiting, least: number) =>
    firstGrant(one, now, least) ?? timeToAskAgain(one);
  if (all.length === 1) return waitOf(all[0]!, 1);
  let wait = 0;
  // Until all wait as long, since a later override may deny what was granted before.
  for (let longest = 1; longest > wait;) {
    wait = longest;
    longest = Math.max(...all.map((one) => waitOf(one, wait)));
  }
  return wait;
}

/**
 * The first whole ms from now, at least `least`, at which demands would be granted; undefined
 * if nothing that is known now will ever grant them.
 */
function firstGrant(
  { phases, demands, forecast: { isGranted, guess } }: Waiting,
  now: number,
  least: number,
): number | undefined {
  // What is not enforced grants everything.
  const isOpen = ({ effect, limit }: Phase) =>
    effect === "unlimited" || !limit.enforce;
  const before = least - 1;
  const wait = firstTimeIn(phases, now + before, {
    isPossible: (phase) =>
      isOpen(phase) ||
      (phase.effect === "limited" &&
        grants(phase.limit, phase.limit.whole.capacity, demands)),
    holds: (phase, at) => isOpen(phase) || isGranted(phase, at),
    guess: (phase, from) => (isOpen(phase) ? from : guess(phase, from)),
  });
  return wait === undefined ? undefined : Math.min(before + wait, LAST_MS);
}

/**
 * When to ask again, in ms: in a period, if the limit is banned without end or the demands are
 * more than it ever holds together.
 *
 * @throws `ExceedsCapacity` if one of the demands alone is more.
 */
function timeToAskAgain({ phases, demands }: Waiting): number {
  for (const demand of demands) requirePossible(phases, demand);
  return Math.max(1, Math.ceil(phases.at(-1)!.limit.period));
}

/** @throws `ExceedsCapacity` if the last phase that is known would never grant the demand. */
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

/** When demands would be granted on what all rows hold together. */
export function forecast(
  rows: readonly Row[],
  demands: readonly Demand[],
): Forecast {
  return {
    isGranted: (phase, at) => isGranted(phase, rows, demands, at),
    guess: ({ limit }, from) =>
      timeFor(limit, rows, wanted(limit, demands), from),
  };
}

/** Whether a phase grants all demands at a time, whatever else would have to be asked. */
export function isGranted(
  { effect, limit }: Phase,
  rows: readonly Row[],
  demands: readonly Demand[],
  at: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  const balance = total(holdings(limit, rows, at));
  return grants(limit, balance, demands);
}

/** The tokens that the limit must hold for all demands. */
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

/** When a debt is paid, in ms from now. */
export function timeUntilPaid(
  phases: Phases,
  rows: readonly Row[],
  writes: readonly Row[],
  now: number,
): number {
  const written = new Map(writes.map((row) => [row.shard, row]));
  const after = [
    ...rows.filter(({ shard }) => !written.has(shard)),
    ...writes,
  ].filter(({ shard }) => shard < phases[0].limit.shards);
  const wait = firstTimeIn(phases, now, {
    isPossible: () => true,
    holds: ({ limit }, at) =>
      total(holdings(limit, after, at)) >= -limit.tolerance,
    guess: ({ limit }, from) => timeFor(limit, after, 0, from),
  });
  return wait ?? LAST_MS;
}

/**
 * In how many ms a limit is full, by what is known now; 0 if it is. Of a ban without end,
 * a period.
 */
export function timeUntilFull(
  phases: Phases,
  rows: readonly Row[],
  now: number,
): number {
  const isFull = ({ effect, limit }: Phase, at: number) => {
    if (effect !== "limited") return effect === "unlimited";
    const { share, tolerance } = limit;
    return holdings(limit, rows, at).every(
      ({ value }) => value >= share.capacity - tolerance,
    );
  };
  if (isFull(phases[0], now)) return 0;
  const wait = firstTimeIn(phases, now, {
    isPossible: ({ effect }) => effect !== "banned",
    holds: isFull,
    guess: ({ limit: { share } }, from) =>
      rows.reduce(
        (time, row) => Math.max(time, timeWhenFull(share, row)),
        from,
      ),
  });
  return wait ?? Math.max(1, Math.ceil(phases.at(-1)!.limit.period));
}

/** About when a limit holds so many tokens. */
function timeFor(
  limit: Limit,
  rows: readonly Row[],
  tokens: number,
  from: number,
): number {
  const held = holdings(limit, rows, from);
  const missing = tokens - total(held);
  const { arrivals, rate } = limit.whole;
  const { ts, nextAt } = held[0]!;
  return missing <= 0 ? from : arrivals.when(ts, missing, rate, nextAt);
}

/**
 * The first whole ms from now, at least 1, at which something holds that stays true as long
 * as one phase is in force.
 */
function firstTimeIn(
  phases: Phases,
  now: number,
  question: {
    /** Whether it is worth asking under this phase. */
    isPossible: (phase: Phase) => boolean;
    holds: (phase: Phase, at: number) => boolean;
    /** About when it begins to hold. */
    guess: (phase: Phase, from: number) => number;
  },
): number | undefined {
  const { isPossible, holds, guess } = question;
  let from = now;
  for (const phase of phases) {
    // The last whole ms under this phase.
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
