import { forgiven } from "../../src/core/limit.js";
import { projectionOf } from "../../src/core/value.js";
import type { Value } from "../../src/dashboard/reads.js";

/** What a limit and key holds at a time. */
export type Balance = {
  effect: "limited" | "banned" | "unlimited";
  value: number;
  capacity: number;
  /** In how many ms it is full, if nobody takes; undefined if it is, or never is. */
  fullIn: number | undefined;
  /** In how many ms one token is granted; undefined if one is now, `Infinity` for never. */
  grantedIn: number | undefined;
  /** Whether it denies: a dry run does not. */
  isEnforced: boolean;
};

/** Projects what the server has told to a time, as the server would decide. */
export function balanceAt(value: Value, now: number): Balance {
  const projection = projectionOf(value, value.config);
  const { effect, limit, at } = projection.at(now);
  const { whole, headroom, enforce } = limit;
  const { capacity } = whole;
  const held = at(now).value;
  const isFull = effect === "unlimited" || held >= capacity - limit.tolerance;
  const fullIn = projection.waitFor(Math.max(0, capacity - headroom), now);
  const wait = projection.waitFor(1, now);
  return {
    effect,
    value: held,
    capacity,
    fullIn: isFull || !Number.isFinite(fullIn) ? undefined : fullIn,
    grantedIn: wait === 0 ? undefined : wait,
    isEnforced: enforce,
  };
}

/** How full a key is, from 0 to 1, as its bar shows it. */
export function fullness({ value, capacity, effect }: Balance): number {
  if (effect === "unlimited") return 1;
  return capacity === 0 ? 0 : Math.min(1, Math.max(0, value / capacity));
}

/**
 * Orders keys by how full they are, the emptiest first, debts and bans before those. Of equal ones,
 * the one that takes longest to be full comes first.
 */
export function byDepletion(a: Balance, b: Balance): number {
  return shareOf(a) - shareOf(b) || (b.fullIn ?? 0) - (a.fullIn ?? 0);
}

function shareOf({ value, capacity, effect }: Balance): number {
  if (effect === "banned") return -Number.MAX_VALUE;
  if (effect === "unlimited") return Number.MAX_VALUE;
  return capacity === 0 ? 0 : value / capacity;
}

/** What a call would be told at a time. */
export type Verdict = {
  /** In how many ms a call for the count is granted: 0 for now, `Infinity` for never. */
  wait: number;
  /** Whether the call throws, since it asks for more than the limit can ever hold. */
  isTooMuch: boolean;
  /** The largest whole count that is granted now. */
  most: number;
};

/** What a call for so many tokens would be told, as the server would decide. */
export function verdictAt(value: Value, count: number, now: number): Verdict {
  const projection = projectionOf(value, value.config);
  const { effect, limit, at } = projection.at(now);
  const { headroom, tolerance } = limit;
  const held = Math.floor(at(now).value - headroom + tolerance);
  const wait = projection.waitFor(count, now);
  // What a ban lies over decides, as in a call.
  const { limit: last } = projection.at(Infinity);
  const ever = last.whole.capacity - last.headroom + forgiven(last, count);
  return {
    wait,
    isTooMuch: limit.enforce && wait === Infinity && count > ever,
    most: effect === "unlimited" ? Infinity : Math.max(0, held),
  };
}
