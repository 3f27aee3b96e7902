import type { StoredConfig } from "./config.js";
import { MAX_SHARDS } from "./checkConfig.js";
import { rowsInUse, type Limit } from "./limit.js";
import type { Row } from "./rows.js";

/** Two mutations that write one row within so many ms often run at the same time, and collide. */
const CLOSE_MS = 50;

/** One of so many calls that find a row written so lately says so. */
const ADVISE_EVERY = 100;

/**
 * What to do about rows on which calls collide: of a call that has read them, and writes.
 * Undefined of most calls, and of rows that do not say when they were written: those of fixed
 * windows that are not split.
 */
export function adviceOn(
  config: StoredConfig,
  { name, kind, shards, usualCapacity }: Limit,
  read: readonly Row[],
  now: number,
  random: () => number,
): string | undefined {
  if (config.kind === "concurrency" || config.advice === false) {
    return undefined;
  }
  const ages = read.map(
    ({ usedAt, ts }) => now - (usedAt ?? (kind === "fixed window" ? NaN : ts)),
  );
  // At this very ms it was this transaction, whose clock stands still.
  const age = Math.min(...ages.filter((age) => age > 0));
  if (age > CLOSE_MS || random() * ADVISE_EVERY >= 1) return undefined;
  const wider = Math.min(MAX_SHARDS, rowsInUse(2 * shards, usualCapacity));
  const canSplit = wider > shards && config.warnAt === undefined;
  const split = canSplit ? `shards: ${wider}, or ` : "";
  return `Rate limit ${name}: calls came within ${age} ms on one row, where they can conflict. Try ${split}applyUpdates: "asynchronously". See docs/scaling.md of convex-rate-limiter (advice: false silences this).`;
}
