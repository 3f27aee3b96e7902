import { forgiven, type Limit, snapped } from "./limit.js";

/** A request to one limit, checked and with its defaults filled in. */
export type Demand = {
  /** The tokens wanted. */
  count: number;
  /** Whether it may leave a debt: none, one of up to `maxReserved` tokens, or any. */
  debt: "none" | "reserve" | "any";
  /** With `debt: "none"`, the tokens of the whole limit that must remain. */
  leave: number;
  /** Whether fewer whole tokens than `count` will do, if the limit has no more. */
  upTo: boolean;
};

/** Takes tokens from a balance, one demand after the other. Every grant goes through here. */
export function takeInTurn(
  limit: Limit,
  balance: number,
  demands: readonly Demand[],
): { taken: number[]; left: number; refused: number[] } {
  let left = balance;
  const taken: number[] = [];
  const refused: number[] = [];
  for (const [i, demand] of demands.entries()) {
    const count = countFrom(limit, left, demand);
    const next = left - count;
    const isGranted = mayLeave(limit, next, demand);
    taken.push(isGranted ? count : 0);
    if (!isGranted) refused.push(i);
    // Stores a rounding error as zero, so that errors cannot pile up.
    else if (count > 0) left = snapped(limit, next);
  }
  return { taken, left, refused };
}

/** Whether a balance is enough for all demands. */
export function isEnough(
  limit: Limit,
  balance: number,
  demands: readonly Demand[],
): boolean {
  return takeInTurn(limit, balance, demands).refused.length === 0;
}

/**
 * How many tokens a demand takes from this balance: its count; with `upTo`, as many whole tokens as
 * are available, from one up to its count.
 */
export function countFrom(
  limit: Limit,
  balance: number,
  demand: Demand,
): number {
  return demand.upTo ? countUpTo(limit, balance, demand) : demand.count;
}

function countUpTo(limit: Limit, balance: number, demand: Demand): number {
  const there = balance - lowest(limit, demand) + limit.tolerance;
  const whole = Math.min(demand.count, Math.floor(there));
  // Adding the tolerance may have rounded up.
  return Math.max(
    1,
    mayLeave(limit, balance - whole, demand) ? whole : whole - 1,
  );
}

/** Whether a demand may leave this balance. */
function mayLeave(limit: Limit, left: number, demand: Demand): boolean {
  return left - lowest(limit, demand) >= -forgiven(limit, demand.count);
}

/** How low a demand may bring the balance. */
export function lowest(limit: Limit, { debt, leave }: Demand): number {
  if (debt === "any") return -Infinity;
  return debt === "reserve" ? -limit.maxReserved : leave;
}

/** The most tokens that one demand could ever be granted. */
export function mostGrantable(limit: Limit, demand: Demand): number {
  return limit.whole.capacity - lowest(limit, demand);
}
