import type { StoredRefillingConfig } from "../../core/config.js";
import type { Limit } from "../../core/limit.js";
import type { Row } from "../../core/view.js";
import { mostRows } from "../spread/split.js";
import type { Target } from "../state.js";

/* What to tell the app about calls that can conflict on a limit that stays in one row. */

/** One in this many calls that find a row written so recently gives advice. */
const ADVISE_EVERY = 100;

/** Mutations that write one row within this many ms often run at the same time, and conflict. */
const CLOSE_MS = 50;

/**
 * Whether another transaction wrote the row so recently that the two calls could have conflicted. If
 * so, it may log advice.
 */
export function adviseIfClose(
  { name, config }: Target<StoredRefillingConfig>,
  { kind }: Limit,
  { usedAt, ts }: Row,
  now: number,
): boolean {
  // Windows from `@convex-dev/rate-limiter` do not store when they were written.
  const age = now - (usedAt ?? (kind === "fixed window" ? NaN : ts));
  // A row of age 0 was written by this transaction, whose clock stands still.
  if (!(age > 0 && age <= CLOSE_MS)) return false;
  const advice = adviceOn(config, name, age, Math.random);
  if (advice !== undefined) console.warn(advice);
  return true;
}

/**
 * Advice about calls that came within `age` ms on one row, as a line for the log. Undefined for
 * most calls, and with `advice: false`.
 */
export function adviceOn(
  config: StoredRefillingConfig,
  name: string,
  age: number,
  random: () => number,
): string | undefined {
  if (config.advice === false || random() * ADVISE_EVERY >= 1) return undefined;
  const mayHaveTwo = mostRows(2, config) > 1 && config.warnAt === undefined;
  const split = mayHaveTwo ? 'Try shards: "auto". ' : "";
  return `Rate limit ${name}: calls came within ${age} ms on one row, where they can conflict. ${split}See docs/scaling.md of convex-rate-limiter (advice: false silences this).`;
}
