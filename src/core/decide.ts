import { firstTime, LAST_MS, timeWhenFull } from "./bucket.js";
import { snapped, type Limit } from "./limit.js";
import { exceedsCapacityError } from "./errors.js";
import {
  holdings,
  sum,
  toLease,
  together,
  toRow,
  total,
  type Held,
  type Row,
} from "./rows.js";
import type { Rule, Rules } from "./rules.js";

/** What is asked of a limit, checked and with its defaults filled in. */
export type Demand = {
  /** The tokens wanted. */
  count: number;
  /** Whether it may take what does not exist yet: down to `maxReserved`, or without end. */
  debt: "none" | "reserve" | "any";
  /** The tokens of the whole limit that must remain, if it makes no debt. */
  leave: number;
  /** Whether fewer whole tokens than `count` will do, if there are no more. */
  upTo: boolean;
};

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
 * @param rules What holds now, and what is known to follow.
 * @param rows All rows that are stored for the key.
 */
export function decide(
  rules: Rules,
  rows: readonly Row[],
  demands: readonly Demand[],
  now: number,
): Decision {
  const [rule] = rules;
  const { effect, limit } = rule;
  const nothing = () => demands.map(() => 0);
  if (effect === "unlimited") return { ok: true, taken: nothing(), writes: [] };
  const held = holdings(limit, rows, now);
  const balance = total(held);
  const { taken, left, refused } = isBarred(rule, demands)
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
      ? timeUntilPaid(rules, rows, writes, now)
      : undefined;
  return { ok: true, taken, writes, retryAfter, wouldDeny };
}

/** Whether a ban keeps the demands out. What is taken without asking it does not undo. */
export function isBarred(
  { effect }: Rule,
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

/** The most tokens that one demand could ever be granted. */
function mostGrantable(limit: Limit, demand: Demand): number {
  return limit.whole.capacity - lowest(limit, demand);
}

/** How low a demand may bring the balance. */
function lowest(limit: Limit, { debt, leave }: Demand): number {
  if (debt === "any") return -Infinity;
  return debt === "reserve" ? -limit.maxReserved : leave;
}

/** Whether a demand may leave this balance. */
function suffices(limit: Limit, left: number, demand: Demand): boolean {
  return left - lowest(limit, demand) >= -limit.tolerance;
}

/**
 * What a demand takes of a balance: its count, or if less will do, the whole tokens that
 * there are, at least one.
 */
export function amountOf(
  limit: Limit,
  balance: number,
  demand: Demand,
): number {
  if (!demand.upTo) return demand.count;
  const there = balance - lowest(limit, demand) + limit.tolerance;
  const whole = Math.min(demand.count, Math.floor(there));
  // The addition above may have rounded up.
  return Math.max(
    1,
    suffices(limit, balance - whole, demand) ? whole : whole - 1,
  );
}

/** The one function in which tokens are taken: from the balance, for one demand after the other. */
function grant(
  limit: Limit,
  balance: number,
  demands: readonly Demand[],
): { taken: number[]; left: number; refused: number[] } {
  let left = balance;
  const taken: number[] = [];
  const refused: number[] = [];
  for (const [i, demand] of demands.entries()) {
    const amount = amountOf(limit, left, demand);
    const next = left - amount;
    const isGranted = suffices(limit, next, demand);
    taken.push(isGranted ? amount : 0);
    if (!isGranted) refused.push(i);
    // A deficit that is a rounding error is stored as zero, so that errors cannot pile up.
    else if (amount > 0) left = snapped(limit, next);
  }
  return { taken, left, refused };
}

/** Whether a balance is enough for all demands. */
function grants(
  limit: Limit,
  balance: number,
  demands: readonly Demand[],
): boolean {
  return grant(limit, balance, demands).refused.length === 0;
}

/**
 * The rows that change when these rows are to hold `left` together. The first row that
 * can give all of it gives it alone; else the fullest give first. A debt is held by all
 * alike, and paid by all at the same time, so that no row grants while the limit is in debt.
 */
function spread(
  limit: Limit,
  held: readonly Held[],
  left: number,
  now: number,
): Row[] {
  const amount = total(held) - left;
  if (amount === 0) return [];
  if (limit.kind === "concurrency") {
    return [toLease(amount, now, now + limit.period)];
  }
  if (left < 0) {
    const { ts, nextAt } = together(held);
    const owed = { value: left / held.length, ts, nextAt };
    return held.map((row) => toRow(limit, { ...row, ...owed }, now));
  }
  const values = drained(held, left, limit.tolerance);
  return changed(limit, held, values, now);
}

function changed(
  limit: Limit,
  held: readonly Held[],
  values: readonly number[],
  now: number,
): Row[] {
  return held.flatMap((row, i) =>
    row.isOutdated || values[i] !== row.value
      ? [toRow(limit, { ...row, value: values[i]! }, now)]
      : [],
  );
}

/** The balances of rows that are to hold `left` together. */
function drained(
  held: readonly Held[],
  left: number,
  tolerance: number,
): number[] {
  const values = held.map(({ value }) => value);
  const amount = total(held) - left;
  const single = values.findIndex((value) => value - amount >= -tolerance);
  if (single !== -1) {
    return values.with(single, Math.max(0, values[single]! - amount));
  }
  // The emptiest keep what they have. Summed up from there, large counts lose no digits.
  const kept: number[] = [];
  for (const i of byValue(values)) {
    const value = Math.min(values[i]!, Math.max(0, left - sum(kept)));
    kept.push(value);
    values[i] = value;
  }
  return values;
}

/** What is given back: how much found room, and the rows that change. */
export type Gift = { credited: number; writes: Row[] };

/**
 * Gives tokens back to rows, as far as they find room below the capacity: to rows in debt
 * first, then to the emptiest.
 */
export function give(
  limit: Limit,
  held: readonly Held[],
  count: number,
  now: number,
): Gift {
  const { capacity } = limit.share;
  const values = held.map(({ value }) => value);
  const debt = -total(held.filter(({ value }) => value < 0));
  if (debt > count) {
    // What is still owed is held by the rows in debt alike.
    const owing = values.filter((value) => value < 0).length;
    const level = (count - debt) / owing;
    const after = values.map((value) => (value < 0 ? level : value));
    return { credited: count, writes: changed(limit, held, after, now) };
  }
  const after = values.map((value) => Math.max(0, value));
  let missing = count - debt;
  for (const i of byValue(after)) {
    const given = Math.min(missing, capacity - after[i]!);
    if (given <= 0) continue;
    after[i] = after[i]! + given;
    missing -= given;
  }
  const credited = count - missing;
  const writes = credited > 0 ? changed(limit, held, after, now) : [];
  return { credited, writes };
}

/** The places of the values in ascending order. */
function byValue(values: readonly number[]): number[] {
  return Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
}

/** When demands would be granted. */
export type Forecast = {
  /** Whether they would be, under a rule at a time; stays true as long as the rule holds. */
  isGranted: (rule: Rule, at: number) => boolean;
  /** About when. */
  guess: (rule: Rule, from: number) => number;
};

/** The demands on one limit and key, and when they would be granted. */
export type Waiting = {
  rules: Rules;
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
  let wait = 0;
  // Until all wait as long, for an override may begin that denies what was granted before.
  for (let longest = 1; longest > wait;) {
    wait = longest;
    const waits = all.map((one) => firstGrant(one, now, wait) ?? fallback(one));
    longest = Math.max(...waits);
  }
  return wait;
}

/**
 * The first whole ms from now, at least `least`, at which demands would be granted; undefined
 * if nothing that is known now will ever grant them.
 */
function firstGrant(
  { rules, demands, forecast: { isGranted, guess } }: Waiting,
  now: number,
  least: number,
): number | undefined {
  // What is not enforced grants everything.
  const isOpen = ({ effect, limit }: Rule) =>
    effect === "unlimited" || !limit.enforce;
  const before = least - 1;
  const wait = firstTimeUnder(rules, now + before, {
    isPossible: (rule) =>
      isOpen(rule) ||
      (rule.effect === "limited" &&
        grants(rule.limit, rule.limit.whole.capacity, demands)),
    holds: (rule, at) => isOpen(rule) || isGranted(rule, at),
    guess: (rule, from) => (isOpen(rule) ? from : guess(rule, from)),
  });
  return wait === undefined ? undefined : Math.min(before + wait, LAST_MS);
}

/**
 * When to ask again what is banned without end, or is more than the limit ever holds in one
 * list: in a period.
 *
 * @throws `ExceedsCapacity` if one of the demands is more.
 */
function fallback({ rules, demands }: Waiting): number {
  for (const demand of demands) requirePossible(rules, demand);
  return Math.max(1, Math.ceil(rules.at(-1)!.limit.period));
}

/** When demands would be granted on what all rows hold together. */
export function forecast(
  rows: readonly Row[],
  demands: readonly Demand[],
): Forecast {
  return {
    isGranted: (rule, at) => isGranted(rule, rows, demands, at),
    guess: ({ limit }, from) =>
      timeFor(limit, rows, wanted(limit, demands), from),
  };
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

/** Whether a rule grants all demands at a time, whatever else would have to be asked. */
export function isGranted(
  { effect, limit }: Rule,
  rows: readonly Row[],
  demands: readonly Demand[],
  at: number,
): boolean {
  if (effect !== "limited") return effect === "unlimited";
  const balance = total(holdings(limit, rows, at));
  return grants(limit, balance, demands);
}

/** @throws `ExceedsCapacity` if the last rule that is known would never grant the demand. */
function requirePossible(rules: Rules, demand: Demand): void {
  const { limit } = rules.at(-1)!;
  if (grants(limit, limit.whole.capacity, [demand])) return;
  const { count } = demand;
  const ever = Math.max(
    ...rules.map((rule) => mostGrantable(rule.limit, demand)),
  );
  const max = count > ever ? ever : mostGrantable(limit, demand);
  throw exceedsCapacityError(limit.name, count, Math.max(0, max));
}

/** When a debt is paid, in ms from now. */
function timeUntilPaid(
  rules: Rules,
  rows: readonly Row[],
  writes: readonly Row[],
  now: number,
): number {
  const written = new Map(writes.map((row) => [row.shard, row]));
  const after = [
    ...rows.filter(({ shard }) => !written.has(shard)),
    ...writes,
  ].filter(({ shard }) => shard < rules[0].limit.shards);
  const wait = firstTimeUnder(rules, now, {
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
  rules: Rules,
  rows: readonly Row[],
  now: number,
): number {
  const isFull = ({ effect, limit }: Rule, at: number) => {
    if (effect !== "limited") return effect === "unlimited";
    const { share, tolerance } = limit;
    return holdings(limit, rows, at).every(
      ({ value }) => value >= share.capacity - tolerance,
    );
  };
  if (isFull(rules[0], now)) return 0;
  const wait = firstTimeUnder(rules, now, {
    isPossible: ({ effect }) => effect !== "banned",
    holds: isFull,
    guess: ({ limit: { share } }, from) =>
      rows.reduce(
        (time, row) => Math.max(time, timeWhenFull(share, row)),
        from,
      ),
  });
  return wait ?? Math.max(1, Math.ceil(rules.at(-1)!.limit.period));
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
 * as one rule is in force.
 */
function firstTimeUnder(
  rules: Rules,
  now: number,
  question: {
    /** Whether it is worth asking under this rule. */
    isPossible: (rule: Rule) => boolean;
    holds: (rule: Rule, at: number) => boolean;
    /** About when it begins to hold. */
    guess: (rule: Rule, from: number) => number;
  },
): number | undefined {
  const { isPossible, holds, guess } = question;
  let from = now;
  for (const rule of rules) {
    // The last whole ms under this rule.
    const last = Math.min(Math.ceil(rule.until) - 1, LAST_MS);
    if (last > from && isPossible(rule)) {
      const before = from;
      const wait = firstTime(
        (ms) => holds(rule, before + ms),
        guess(rule, before) - before,
        last - before,
      );
      if (wait !== undefined) return before + wait - now;
      if (rule.until === Infinity) return LAST_MS;
    }
    from = Math.max(from, last);
  }
  return undefined;
}
