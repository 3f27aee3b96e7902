import type { PlaygroundConfig } from "../../convex/playground.js";
import { formatTokens, plural } from "../format.js";

/** Why code with this config and call would not do what one hopes for, if it would not. */
export function warningOf(
  { rate, capacity = rate, maxReserved = Infinity, enforce }: PlaygroundConfig,
  count: number,
  reserve: boolean,
): string | undefined {
  if (enforce === false) {
    return "A dry run: nothing is denied. Remove enforce: false to limit.";
  }
  const most = capacity + (reserve ? maxReserved : 0);
  if (count > most) {
    return most === 0
      ? "This limit never holds a token: every call throws."
      : `This call always throws: it asks for ${plural(count, "token")}, and ${formatTokens(most)} is the most there can be.`;
  }
  if (count === 0) return "A count of 0 takes nothing and is always granted.";
  if (reserve && maxReserved === 0) {
    return "With maxReserved: 0 there is nothing to reserve.";
  }
  return undefined;
}
