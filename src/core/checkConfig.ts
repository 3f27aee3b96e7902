import { isZone, WEEKDAYS } from "./calendar.js";
import {
  appends,
  calendarOf,
  capacityOf,
  type Calendar,
  type StoredCalendar,
  type StoredConfig,
  type StoredRateLimit,
} from "./config.js";
import { PERIODS } from "./periods.js";
import {
  isFiniteNumber,
  oneOf,
  reject,
  requireAbove0,
  requireAtLeast0,
  shown,
} from "./reject.js";

/** The most shards that a limit may ask for. */
export const MAX_SHARDS = 1024;

/**
 * Checks a config as it is given.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkConfig(name: string, config: StoredConfig): void {
  checkInForce(name, config);
  requireCountable(name, config);
  checkWarnAt(name, config);
  if (config.kind !== "concurrency") checkHeadroom(name, config);
}

/**
 * The one place where the numbers of a config are checked: as it is in force, perhaps by an
 * override of an earlier release, which may also lower the capacity below the headroom.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkInForce(name: string, config: StoredConfig): void {
  requireOneOf(name, "overrides", SWITCH, config.overrides);
  requireShare(name, "enforce", "keys", config.enforce);
  requireShare(name, "stats", "calls", config.stats);
  if (config.kind === "concurrency") {
    requireAtLeast0(name, "capacity", config.capacity);
    if (!isFiniteNumber(config.lease) || config.lease < 1) {
      reject(name, "lease", "a finite number of at least 1", config.lease);
    }
    return;
  }
  const { rate, period, capacity, maxReserved, shards, applyUpdates } = config;
  const kind: string = config.kind;
  if (kind !== "token bucket" && kind !== "fixed window") {
    const kinds = '"token bucket", "fixed window" or "concurrency"';
    reject(name, "kind", kinds, kind);
  }
  requireAbove0(name, "rate", rate);
  requireAbove0(name, "period", period);
  if (capacity !== undefined) requireAtLeast0(name, "capacity", capacity);
  requireOneOf(name, "applyUpdates", MODES, applyUpdates);
  if (maxReserved !== undefined) {
    requireAtLeast0(name, "maxReserved", maxReserved);
  }
  if (shards !== undefined) {
    const isLegal =
      Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS;
    if (!isLegal) {
      reject(name, "shards", `a whole number from 1 to ${MAX_SHARDS}`, shards);
    }
  }
  checkStart(name, config);
  checkCalendar(name, config);
  requireAtLeast0(name, "headroom", config.headroom ?? 0);
}

/** The last ms, either way from the epoch, that a `Date` can tell. */
const LAST_DATE = 8.64e15;

function checkStart(name: string, { kind, start }: StoredRateLimit): void {
  if (start === undefined) return;
  if (kind === "token bucket") {
    if (start !== null) reject(name, "start", "left out or null", start);
    return;
  }
  if (isFiniteNumber(start) && Math.abs(start) <= LAST_DATE) return;
  reject(
    name,
    "start",
    `a time in ms, from -${LAST_DATE} to ${LAST_DATE}`,
    start,
  );
}

/** @throws An `Error` that names the limit, the field and the value. */
function checkCalendar(name: string, config: StoredRateLimit): void {
  const stored = calendarOf(config);
  if (stored === undefined) return;
  const { period } = parseCalendar(name, stored);
  const { start } = config;
  if (start !== undefined) {
    throw new Error(
      `Rate limit ${name}: start ${String(start)} does not go with the period "${period}", whose windows start as the calendar says.`,
    );
  }
}

/**
 * A calendar with names that are known.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseCalendar(
  name: string,
  { period, timeZone, weekStart }: StoredCalendar,
): Calendar {
  if (!isIn(PERIODS, period)) reject(name, "period", oneOf(PERIODS), period);
  if (timeZone !== undefined && !isZone(timeZone)) {
    const wanted = "the IANA name of a time zone that the runtime knows";
    reject(name, "timeZone", wanted, timeZone);
  }
  if (weekStart !== undefined && !isIn(WEEKDAYS, weekStart)) {
    reject(name, "weekStart", oneOf(WEEKDAYS), weekStart);
  }
  return { period, timeZone, weekStart };
}

function isIn<Word extends string>(
  words: readonly Word[],
  word: string,
): word is Word {
  return words.some((known) => known === word);
}

const SWITCH = [true, false];
const MODES = ["transactionally", "asynchronously"];

function requireOneOf<Value>(
  name: string,
  field: string,
  legal: readonly Value[],
  value: Value | undefined,
): void {
  if (value === undefined || legal.includes(value)) return;
  reject(name, field, legal.map(shown).join(" or "), value);
}

/** From this capacity on, a float as large tells no single token. */
const UNCOUNTABLE = 2 ** 52;

function requireCountable(name: string, config: StoredConfig): void {
  const tokens = capacityOf(config);
  if (tokens < UNCOUNTABLE) return;
  const field = config.capacity === undefined ? "rate" : "capacity";
  const wanted = `below 2 ** 52, so that each token counts (an override with unlimited: true is no limit at all)`;
  reject(name, field, wanted, tokens);
}

function requireShare(
  name: string,
  field: string,
  of: string,
  share: unknown,
): void {
  if (share === undefined || typeof share === "boolean") return;
  if (isFiniteNumber(share) && share >= 0 && share <= 1) return;
  reject(
    name,
    field,
    `true, false, or a share of the ${of} from 0 to 1`,
    share,
  );
}

function checkWarnAt(name: string, config: StoredConfig): void {
  const { warnAt, shards = 1 } = config;
  if (warnAt === undefined) return;
  const shares = [warnAt].flat();
  const wanted = "one or more shares above 0 and up to 1";
  if (shares.length === 0) reject(name, "warnAt", wanted, "[]");
  for (const share of shares) {
    if (isFiniteNumber(share) && share > 0 && share <= 1) continue;
    reject(name, "warnAt", wanted, share);
  }
  if (shards > 1 && !appends(config)) {
    throw new Error(
      `Rate limit ${name}: warnAt needs one row, and shards is ${shards}. Ask list or stats, or use applyUpdates: "asynchronously".`,
    );
  }
}

function checkHeadroom(name: string, config: StoredRateLimit): void {
  const { headroom = 0, rate, capacity = rate } = config;
  if (headroom === 0) return;
  if (headroom >= capacity) {
    reject(name, "headroom", `below the capacity of ${capacity}`, headroom);
  }
  if (!appends(config)) {
    throw new Error(
      `Rate limit ${name}: headroom needs applyUpdates: "asynchronously".`,
    );
  }
}
