import type { DeniedHour } from "../../src/core/validators.js";
import { formatCount } from "./words.js";

/** What the counts lack: a transaction that is undone takes its statistics with it. */
export const UNCOUNTED =
  "Denials of a mutation that throws, as with throws: true, are not counted.";

type Denied = Pick<DeniedHour, "denied" | "isLowerBound">;

/** How often a key was denied in these hours together. */
export function sumOf(hours: readonly Denied[]): Denied {
  return {
    denied: hours.reduce((sum, { denied }) => sum + denied, 0),
    isLowerBound: hours.some(({ isLowerBound }) => isLowerBound),
  };
}

/** `denied at least 4 times`. */
export function deniedText({ denied, isLowerBound }: Denied): string {
  return `denied ${isLowerBound ? "at least " : ""}${formatCount(denied)} ${denied === 1 ? "time" : "times"}`;
}
