import { checkRequest } from "./checks.js";
import { toleratedDeficit, type Limit, snapped } from "./limit.js";

/** A request to one limit, checked and with its defaults filled in. */
export type Demand = {
  /** The tokens wanted; negative to give tokens back, up to the capacity. */
  count: number;
  /**
   * Whether it may leave a debt: none, or one of up to `maxReserved` tokens. `"denied"` is a
   * reservation whose caller wants an error instead of a wait: it leaves no debt, and is denied
   * until its debt would be paid. `"any"` is a charge, which is never refused: what would make a
   * debt deeper than `maxDebt` is not taken.
   */
  debt: "none" | "reserve" | "denied" | "any";
  /** With `debt: "none"`, the tokens of the whole limit that must remain. */
  leave: number;
  /** Whether fewer whole tokens than `count` will do, if the limit has no more. */
  upTo: boolean;
};

/** A request as it reaches the component, with what a check needs of it. */
type GivenRequest = {
  count?: number | undefined;
  reserve?: boolean | undefined;
  denyDebt?: boolean | undefined;
  leave?: number | undefined;
  upTo?: boolean | undefined;
};

/**
 * Checks a request and fills in its defaults.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function toDemand(
  limit: Limit,
  {
    count = 1,
    reserve = false,
    denyDebt = false,
    leave = 0,
    upTo = false,
  }: GivenRequest,
): Demand {
  checkRequest(limit, { count, reserve, leave, upTo });
  return {
    count: upTo ? Math.floor(count) : count,
    // A request that must leave tokens makes no debt, whether it reserves or not.
    debt: !reserve || leave > 0 ? "none" : denyDebt ? "denied" : "reserve",
    leave,
    upTo,
  };
}

/** Whether a demand may leave a debt. */
export function mayMakeDebt({ debt }: Demand): boolean {
  return debt === "reserve" || debt === "any";
}

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
    taken.push(isGranted ? Math.max(0, count) : 0);
    if (!isGranted) refused.push(i);
    // Stores a rounding error as zero, so that errors cannot pile up.
    else if (count > 0) left = snapped(limit, next);
    else if (count < 0)
      left = Math.max(
        left,
        Math.min(limit.whole.capacity, snapped(limit, next)),
      );
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
 * are available, from one up to its count; of a charge, what `maxDebt` allows.
 */
export function countFrom(
  limit: Limit,
  balance: number,
  demand: Demand,
): number {
  if (demand.debt === "any") {
    return Math.min(demand.count, Math.max(0, balance + limit.maxDebt));
  }
  if (!demand.upTo) return demand.count;
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
  return left - lowest(limit, demand) >= -toleratedDeficit(limit, demand.count);
}

/** How low a demand may bring the balance. */
export function lowest(limit: Limit, { debt, leave }: Demand): number {
  if (debt === "any") return -Infinity;
  if (debt === "reserve") return -limit.maxReserved;
  return debt === "denied" ? 0 : leave;
}

/** Whether a full limit would grant all demands, if it denied no debt. */
export function isPossible(limit: Limit, demands: readonly Demand[]): boolean {
  return isEnough(limit, limit.whole.capacity, demands.map(allowingDebt));
}

/** The most tokens that one demand could ever be granted, if no debt were denied. */
export function mostGrantable(limit: Limit, demand: Demand): number {
  return limit.whole.capacity - lowest(limit, allowingDebt(demand));
}

function allowingDebt(demand: Demand): Demand {
  return demand.debt === "denied" ? { ...demand, debt: "reserve" } : demand;
}
