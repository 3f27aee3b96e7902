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

export type Lease = { taken: number; endsAt: number };

/** What is held of a limit on what runs at once. */
export function leasesOf(value: Value, now: number): Lease[] {
  if (value.config.kind !== "concurrency") return [];
  const [first] = value.segments ?? [];
  if (first === undefined) return [];
  const { capacity = 0 } = first.config;
  return first.rows
    .map(({ value, fullAt = Infinity }) => ({
      taken: capacity - value,
      endsAt: fullAt,
    }))
    .filter(({ endsAt }) => endsAt > now)
    .sort((a, b) => a.endsAt - b.endsAt);
}
