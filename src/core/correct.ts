import { LAST_MS, project } from "./bucket.js";
import { FORGOTTEN_AFTER, lastUse, type Row } from "./row.js";
import { fullByAll, type Limit } from "./limit.js";
import { toRow } from "./rows.js";
import { DAY } from "./periods.js";

/** How long a row is kept of which nobody knows when it is full, in ms. It is a row too many. */
const KEPT_FOR = 366 * DAY;

/**
 * Whether a row was last written by this limit: then it stores the `fullAt` that follows from it.
 */
export function isWrittenBy(limit: Limit, row: Row): boolean {
  return row.fullAt === Math.max(lastUse(row), fullByAll(limit, 1, row));
}

/**
 * The one row of a limit after it was given `amount` tokens back, or less than 0 were taken from
 * it, by somebody who may not know its present rule: a hold keeps the config that it was taken by.
 * So the balance is not brought to the present: `value` changes, and `ts` stays. What has arrived
 * since, and finds room, is for the next call to say.
 *
 * @param limit By the config of the hold.
 */
export function corrected(
  limit: Limit,
  row: Row,
  amount: number,
  now: number,
): Row {
  const { value, ts, fullAt = Infinity } = row;
  const changed = { ...row, value: value + amount };
  if (isWrittenBy(limit, row)) {
    const held = project(limit.whole, row, now);
    const room = limit.whole.capacity - held.value;
    if (amount > 0 && room <= 0) return row;
    if (amount < 0 && room <= 0) {
      const left = { ...held, value: held.value + amount };
      return toRow(limit, { shard: 0, parts: 1, ...left }, now);
    }
    const next = { ...row, value: value + Math.min(amount, room) };
    // Else a window that is full from now on would not look written by this limit any more.
    if (row.usedAt !== undefined) next.usedAt = now;
    return { ...next, fullAt: Math.max(now, fullByAll(limit, 1, next)) };
  }
  const late = now - fullAt;
  if (amount >= 0) return late >= 0 ? row : changed;
  // What arrived after the row was full found no room. A window begins where it does, though.
  const since = late > 0 && row.usedAt === undefined ? ts + late : ts;
  const latest = Math.max(now, fullAt === Infinity ? now : fullAt);
  return {
    ...changed,
    ts: since,
    fullAt: Math.min(latest + KEPT_FOR - FORGOTTEN_AFTER, LAST_MS),
  };
}
