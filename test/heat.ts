import { HEAT } from "../src/core/heat.js";

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
