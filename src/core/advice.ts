import { capacityOf, type StoredConfig } from "./config.js";
import { mostRows } from "./limit.js";

/* What to tell the app about calls that can conflict on a limit that stays in one row. */

/** One in this many calls that find a row written so recently gives advice. */
const ADVISE_EVERY = 100;

/**
 * Advice about calls that came within `age` ms on one row, as a line for the log. Undefined for
 * most calls, and with `advice: false`.
 */
export function adviceOn(
  config: StoredConfig,
  name: string,
  age: number,
  random: () => number,
): string | undefined {
  const isSilent = config.kind === "concurrency" || config.advice === false;
  if (isSilent || random() * ADVISE_EVERY >= 1) return undefined;
  const mayHaveTwo =
    mostRows(2, capacityOf(config)) > 1 && config.warnAt === undefined;
  const split = mayHaveTwo ? 'Try shards: "auto". ' : "";
  return `Rate limit ${name}: calls came within ${age} ms on one row, where they can conflict. ${split}See docs/scaling.md of convex-rate-limiter (advice: false silences this).`;
}
