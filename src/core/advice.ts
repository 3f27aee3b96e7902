import { MAX_SHARDS } from "./checks.js";
import { capacityOf, type StoredConfig } from "./config.js";
import { type Limit, effectiveShards } from "./limit.js";

/* What to tell the app about calls that can conflict on a limit that does not split itself. */

/** One in this many calls that find a row written so recently gives advice. */
const ADVISE_EVERY = 100;

/**
 * Advice about calls that came within `age` ms on one row, as a line for the log. Undefined for
 * most calls, and with `advice: false`.
 */
export function adviceOn(
  config: StoredConfig,
  { name, shards }: Limit,
  age: number,
  random: () => number,
): string | undefined {
  const isSilent = config.kind === "concurrency" || config.advice === false;
  if (isSilent || random() * ADVISE_EVERY >= 1) return undefined;
  const wider = Math.min(
    MAX_SHARDS,
    effectiveShards(2 * shards, capacityOf(config)),
  );
  const canSplit = wider > shards && config.warnAt === undefined;
  const split = canSplit ? 'Try shards: "auto". ' : "";
  return `Rate limit ${name}: calls came within ${age} ms on one row, where they can conflict. ${split}See docs/scaling.md of convex-rate-limiter (advice: false silences this).`;
}
