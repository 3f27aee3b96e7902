import { HEAT } from "../../src/core/heat.js";

type Heat = Record<keyof typeof HEAT, number>;

/**
 * Changes the thresholds at which rows split and gather, and lets them split while the clock stands
 * still. Returns a function that restores them, since test files share modules.
 */
export function setHeat(changes: Partial<Heat>): () => void {
  const usual: Heat = { ...HEAT };
  Object.assign(HEAT, changes);
  return () => void Object.assign(HEAT, usual);
}

/** Thresholds at which rows split and gather as often as possible. */
export const EAGER: Partial<Heat> = {
  bearable: 0,
};
