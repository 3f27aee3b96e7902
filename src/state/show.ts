import {
  type Bucket,
  type Since,
  type State,
  timeOfArrival,
  timeWhenFull,
} from "../core/bucket.js";
import {
  calendarOf,
  type ShownConfig,
  toRateLimitConfig,
} from "../core/config.js";
import { type Limit, partOfLimit } from "../core/limit.js";
import type { Phase, Phases } from "../core/phases.js";
import type { ShownPhase } from "../core/validators.js";
import type { GetValueReturns } from "../core/value.js";
import type { Row, View } from "../core/view.js";
import { viewOfLeases } from "./holds/leases.js";
import { IDLE_AFTER, lastUsedAt } from "./row/row.js";
import {
  allBalances,
  allFullAt,
  areIdle,
  type Balance,
  balancesOf,
  countedRows,
  gatherStates,
  isUnmigrated,
  viewOfRows,
} from "./spread/rows.js";
import { scaleToWhole } from "./spread/rules.js";
import { canSplit, leastRows } from "./spread/split.js";
import { isSplitRow, leavesOfTree } from "./spread/tree.js";
import type { KeyState } from "./state.js";

/* The state of a limit key as people, pages and clients see it. */

type ShownRow = ShownPhase["rows"][number];

/**
 * The balance of a limit, and what a client needs to project it.
 *
 * @param size How many random rows of a split limit to read, instead of all.
 */
export async function showValue(
  state: KeyState,
  phases: Phases,
  size: number | undefined,
  now: number,
): Promise<GetValueReturns<ShownConfig>> {
  const [phase] = phases;
  const { limit, effect } = phase;
  const sample =
    size === undefined ? undefined : await state.sample(size, Math.random);
  const stored = sample?.flatMap(({ row = [] }) => row) ?? (await state.rows());
  const rows = areIdle(stored, now) ? [] : stored;
  const time =
    rows.length > 0 ? Math.max(...rows.map(lastUsedAt)) : anyTime(limit);
  const balances = sample
    ? balancesOf(limit, sample, time)
    : balancesOfKey(limit, rows, time);
  const fullest = balances.reduce((a, b) => (b.value > a.value ? b : a));
  const seen = gatherStates(balances);
  const balance = { ...seen, value: seen.value * scaleToWhole(balances) };
  const { capacity } = limit.whole;
  const shown = { limited: balance.value, banned: 0, unlimited: capacity };
  return {
    value: shown[effect],
    ts: balance.ts,
    shard: fullest.shard,
    config: shownConfig(phase, balance.ts),
    // A sample shows as one row that holds the estimate for the whole limit.
    phases: shownPhases(
      phases,
      sample && rows.length > 0
        ? [{ ...balance, shard: 0, fullAt: Infinity }]
        : rows,
      now,
    ),
  };
}

/** The balance of each row of a limit. */
export function balancesOfKey(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Balance[] {
  if (limit.kind !== "concurrency") return allBalances(limit, rows, now);
  const value = viewOfLeases(rows).balance(limit, now);
  return [{ shard: 0, parts: 1, value, ts: now }];
}

/** The view of a key by all its rows, or leases. */
export function viewOfKey({ kind }: Limit, rows: readonly Row[]): View {
  return kind === "concurrency" ? viewOfLeases(rows) : viewOfRows(rows);
}

/** What each row of a limit held when it was last written, by no rule. */
export function storedValues(rows: readonly Row[]): number[] {
  const leaves = rows.some(isSplitRow)
    ? leavesOfTree(rows).map(({ row }) => row)
    : rows;
  return leaves.map((row) => row?.value ?? 0);
}

/**
 * The rows of a limit in the form that a client can project. `shards` is how many rows there are;
 * those not in `rows` are full. From `fullFrom` on, all of them are. If rows differ in size, all
 * are listed, each with its `parts`.
 */
function shownRows(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): {
  shards: number;
  rows: (State & Pick<Row, "endsAt"> & { parts?: number })[];
  fullFrom?: number;
} {
  if (limit.kind === "concurrency") {
    const { capacity } = limit.whole;
    const leases = rows.map((lease) => ({
      value: capacity + lease.value,
      ts: lease.ts,
      endsAt: lease.endsAt,
    }));
    return { shards: 1, rows: leases };
  }
  const leaves = countedRows(limit, rows, now);
  if (leaves === undefined) return { shards: leastRows(limit), rows: [] };
  const isEven = leaves.every(({ parts }) => parts === leaves.length);
  return {
    shards: leaves.length,
    rows: leaves.flatMap(({ parts, row }) => {
      if (row === undefined) return [];
      const { value, ts, nextAt, usedAt = ts } = row;
      const last = usedAt > ts && { usedAt };
      return [{ value, ts, nextAt, ...last, ...(!isEven && { parts }) }];
    }),
    fullFrom: allFullAt(rows) + IDLE_AFTER,
  };
}

/** A time at which to show an unused limit: any will do, since it is always full. */
function anyTime({ whole }: Limit): number {
  const { refill, rate } = whole;
  const start = refill.startAt(0);
  return start < 0 ? refill.when({ ts: start }, rate, rate) : start;
}

/**
 * The config as clients see it, and as an app may pass it back: with its capacity, and with
 * `enforce` resolved for this key if it is a share.
 *
 * @param start The start of a window, if the config of a fixed window does not set it.
 */
function shownConfig(
  { config, limit, effect }: Phase,
  start: number,
): ShownConfig {
  const { enforce } = config;
  // Pages need neither the flag for the log nor the one for holds.
  const apart = { advice: undefined, isInline: undefined };
  const shown: ShownConfig = {
    ...(config.kind === "concurrency"
      ? config
      : { ...toRateLimitConfig(config), ...apart }),
    capacity: effect === "banned" ? 0 : limit.whole.capacity,
    ...(typeof enforce === "number" && { enforce: limit.enforce }),
  };
  if (shown.kind === "fixed window") shown.start ??= start;
  // Without `shards`, whoever passes the config back might split the limit.
  if (shown.kind !== "concurrency" && !canSplit(limit)) shown.shards ??= 1;
  return shown;
}

/** The part of a phase's config that a client needs to project it. */
function projectableConfig({ config, limit }: Phase): ShownPhase["config"] {
  const { kind, rate, period, start } = toRateLimitConfig(config);
  const { capacity, refill } = limit.whole;
  return {
    kind,
    rate,
    period,
    capacity,
    enforce: limit.enforce ? undefined : false,
    start: kind === "fixed window" ? (start ?? refill.startAt(0)) : undefined,
  };
}

/**
 * What a client needs in addition to the balance to project it as the server does; undefined if the
 * balance is enough.
 */
function shownPhases(
  phases: Phases,
  rows: readonly Row[],
  now: number,
): ShownPhase[] | undefined {
  const [{ limit, effect, config }] = phases;
  const isPlain =
    phases.length === 1 &&
    effect === "limited" &&
    limit.kind !== "concurrency" &&
    calendarOf(config) === undefined;
  if (isPlain && rows.every((row) => isDescribedByValue(limit, row))) {
    return undefined;
  }
  return phases.map((phase) => {
    const shown = shownRows(phase.limit, rows, now);
    const { fullFrom = Infinity } = shown;
    return {
      shards: shown.shards,
      rows: shown.rows.map((row) => toShownRow(phase, row, now)),
      effect: phase.effect,
      config: projectableConfig(phase),
      until: phase.until === Infinity ? undefined : phase.until,
      fullFrom: fullFrom === Infinity ? undefined : fullFrom,
      starts: startsOf(phase, rows, now),
    };
  });
}

/** How many windows to list after the limit is full, for pages that stay open. */
const STARTS_AHEAD = 14;

/**
 * The most windows to list: one a day for five years, as far ahead as Convex schedules functions.
 */
const MAX_STARTS = 5 * 366;

/** The starts of calendar windows, beginning with that of the oldest row. */
function startsOf(
  { config, limit }: Phase,
  rows: readonly Row[],
  now: number,
): number[] | undefined {
  if (calendarOf(config) === undefined) return undefined;
  const { whole } = limit;
  const fullAt = Math.max(
    ...balancesOfKey(limit, rows, now).map((row) =>
      timeWhenFull(partOfLimit(limit, row.parts), row),
    ),
  );
  const oldest = Math.min(now, ...rows.map(({ ts }) => ts));
  const ts = whole.refill.startAt(oldest);
  return startsFrom(whole, { ts }, Math.max(now, fullAt));
}

/**
 * The starts of a row's own window and of those after it, until `STARTS_AHEAD` of them lie after
 * `until`.
 */
function startsFrom(bucket: Bucket, since: Since, until: number): number[] {
  const starts = [since.ts];
  for (let ahead = 0; ahead < STARTS_AHEAD && starts.length < MAX_STARTS;) {
    const tokens = starts.length * bucket.rate;
    const start = timeOfArrival(bucket, since, tokens);
    starts.push(start);
    if (start > until) ahead += 1;
  }
  return starts;
}

/** A row as clients see it, with its own windows if they differ from the calendar's. */
function toShownRow(
  { limit: { whole } }: Phase,
  { nextAt, ...state }: State & Pick<ShownRow, "parts">,
  now: number,
): ShownRow {
  const { refill, rate } = whole;
  if (!refill.isCalendar) return state;
  const { ts } = state;
  const next = refill.when({ ts }, rate, rate);
  if (refill.startAt(ts) === ts && (nextAt ?? next) === next) return state;
  // One row of several is full sooner.
  const fullAt = timeWhenFull(whole, { ...state, nextAt });
  return {
    ...state,
    starts: startsFrom(whole, { ts, nextAt }, Math.max(now, fullAt)),
  };
}

/**
 * True if `value` and `ts` alone describe the row, so that its other fields can be left out. False
 * if it is idle before it is full, or would then start other windows.
 */
function isDescribedByValue(limit: Limit, row: Row): boolean {
  if (isSplitRow(row)) return false;
  if (leastRows(limit) > 1 && isUnmigrated(row)) return false;
  const idleAt = allFullAt([row]) + IDLE_AFTER;
  if (idleAt === Infinity) return true;
  const { whole, kind } = limit;
  if (timeWhenFull(whole, row) > idleAt) return false;
  return kind !== "fixed window" || whole.refill.startAt(row.ts) === row.ts;
}
