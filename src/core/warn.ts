import type { Limit } from "./limit.js";

/**
 * The highest share of the capacity in `warnAt` that is used after a grant but was not before it;
 * undefined if there is none. `before` and `after` are the balances.
 */
export function shareReached(
  { whole: { capacity }, tolerance }: Limit,
  warnAt: number | readonly number[],
  before: number,
  after: number,
): number | undefined {
  const isUsed = (share: number, balance: number) =>
    capacity - balance >= share * capacity - tolerance;
  return [warnAt]
    .flat()
    .filter((share) => isUsed(share, after) && !isUsed(share, before))
    .sort((a, b) => b - a)[0];
}
