import { MAX_SHARDS } from "./checkConfig.js";
import type { StoredConfig } from "./config.js";
import { type Limit, rowsInUse } from "./limit.js";
import type { Row } from "./rows.js";

/* What to tell the app about calls that can conflict on a limit that does not split itself. */

/** Mutations that write one row within this many ms often run at the same time, and conflict. */
const CLOSE_MS = 50;

/** Of the calls that find a row written that recently, one in this many gives advice. */
const ADVISE_EVERY = 100;

/**
 * How many ms ago another transaction wrote one of these rows, if so recently that the two could
 * have conflicted. For a call that has read these rows, and writes.
 */
export function closeness(
  { kind }: Limit,
  read: readonly Row[],
  now: number,
): number | undefined {
  // Windows from `@convex-dev/rate-limiter` do not say when they were written.
  let least = Infinity;
  for (const { usedAt, ts } of read) {
    const age = now - (usedAt ?? (kind === "fixed window" ? NaN : ts));
    // A row of age 0 was written by this transaction, whose clock stands still.
    if (age > 0 && age < least) least = age;
  }
  return least <= CLOSE_MS ? least : undefined;
}

/**
 * What to do about calls that came within `age` ms on one row, as a line for the log. Undefined
 * for most calls, and with `advice: false`.
 */
export function adviceOn(
  config: StoredConfig,
  { name, shards, usualCapacity }: Limit,
  age: number,
  random: () => number,
): string | undefined {
  const isSilent = config.kind === "concurrency" || config.advice === false;
  if (isSilent || random() * ADVISE_EVERY >= 1) return undefined;
  const wider = Math.min(MAX_SHARDS, rowsInUse(2 * shards, usualCapacity));
  const canSplit = wider > shards && config.warnAt === undefined;
  const split = canSplit ? 'shards: "auto", or ' : "";
  return `Rate limit ${name}: calls came within ${age} ms on one row, where they can conflict. Try ${split}applyUpdates: "asynchronously". See docs/scaling.md of convex-rate-limiter (advice: false silences this).`;
}
