import type { Limit } from "./limit.js";

/**
 * The highest of some shares of the capacity that a grant is the first to use, by the balances
 * before and after it; undefined if it is none.
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
