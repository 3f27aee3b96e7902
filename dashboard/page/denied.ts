import type { DeniedHour } from "../../src/core/vConfig.js";
import { count } from "./words.js";

/** What the counts of denials lack: no statistics survive a transaction that is undone. */
export const UNSEEN =
  "Denials of a mutation that throws, as with throws: true, are not counted.";

type Denied = Pick<DeniedHour, "denied" | "isLowerBound">;

/** How often a key was denied in some hours. */
export function sumOf(hours: readonly Denied[]): Denied {
  return {
    denied: hours.reduce((sum, { denied }) => sum + denied, 0),
    isLowerBound: hours.some(({ isLowerBound }) => isLowerBound),
  };
}

/** `denied at least 4 times`. */
export function deniedText({ denied, isLowerBound }: Denied): string {
  return `denied ${isLowerBound ? "at least " : ""}${count(denied)} ${denied === 1 ? "time" : "times"}`;
}
