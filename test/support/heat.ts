import { HEAT } from "../../src/core/heat.js";

type Heat = Record<keyof typeof HEAT, number>;

/**
 * Changes when rows are split and gathered: also on a clock that stands still. Returns what undoes
 * that: test files share modules.
 */
export function setHeat(changes: Partial<Heat>): () => void {
  const usual: Heat = { ...HEAT };
  Object.assign(HEAT, { stillMs: -1, ...changes });
  return () => void Object.assign(HEAT, usual);
}

/** Rows split and gather as often as possible. */
export const EAGER: Partial<Heat> = {
  splitBelow: 15,
  splitAgainBelow: 15,
  unknown: 1,
  ampleTokens: 4,
  restMs: 1000,
  shrinkAbove: 2,
  askEvery: 2,
  shrinkTo: 1,
  mostWrites: Infinity,
};
