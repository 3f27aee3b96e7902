import { toleratedDeficit } from "../../src/core/limit.js";
import { projectionOf } from "../../src/core/value.js";
import type { LimitValue } from "../../src/dashboard/reads.js";

/** The balance of a key at a time. */
export type KeyBalance = {
  effect: "limited" | "banned" | "unlimited";
  value: number;
  capacity: number;
  /** In how many ms it will be full, if nobody takes; undefined if it is full or never will be. */
  fullIn: number | undefined;
  /** In how many ms one token would be granted; undefined if now, `Infinity` if never. */
  grantedIn: number | undefined;
  /** False in a dry run, which denies nothing. */
  isEnforced: boolean;
};

/** Projects what the server told to a time, as the server itself would. */
export function balanceAt(value: LimitValue, now: number): KeyBalance {
  const projection = projectionOf(value, value.config);
  const { effect, limit, balanceAt } = projection.phaseAt(now);
  const { whole, enforce } = limit;
  const { capacity } = whole;
  const held = balanceAt(now).value;
  const isFull = effect === "unlimited" || held >= capacity - limit.tolerance;
  const fullIn = projection.waitFor(capacity, now);
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

/** How full the bar of a key is, from 0 to 1. */
export function fullness({ value, capacity, effect }: KeyBalance): number {
  if (effect === "unlimited") return 1;
  return capacity === 0 ? 0 : Math.min(1, Math.max(0, value / capacity));
}

/**
 * Orders keys: bans first, then debts, then from empty to full. Among equals, the key that takes
 * longest to be full comes first.
 */
export function byDepletion(a: KeyBalance, b: KeyBalance): number {
  return shareOf(a) - shareOf(b) || (b.fullIn ?? 0) - (a.fullIn ?? 0);
}

function shareOf({ value, capacity, effect }: KeyBalance): number {
  if (effect === "banned") return -Number.MAX_VALUE;
  if (effect === "unlimited") return Number.MAX_VALUE;
  return capacity === 0 ? 0 : value / capacity;
}

/** What a call would be told. */
export type CallForecast = {
  /** In how many ms the call would be granted: 0 for now, `Infinity` for never. */
  wait: number;
  /** Whether the call would throw, because it asks for more than the limit can ever hold. */
  isTooMuch: boolean;
  /** The largest whole count that is granted now. */
  max: number;
};

/** What a call for `count` tokens would be told. */
export function forecastAt(
  value: LimitValue,
  count: number,
  now: number,
): CallForecast {
  const projection = projectionOf(value, value.config);
  const { effect, limit, balanceAt } = projection.phaseAt(now);
  const held = Math.floor(balanceAt(now).value + limit.tolerance);
  const wait = projection.waitFor(count, now);
  // As in a call, the rule beneath a ban decides.
  const { limit: last } = projection.phaseAt(Infinity);
  const ever = last.whole.capacity + toleratedDeficit(last, count);
  return {
    wait,
    isTooMuch: limit.enforce && wait === Infinity && count > ever,
    max: effect === "unlimited" ? Infinity : Math.max(0, held),
  };
}
