import { FIRST, isZone, LAST, WEEKDAYS } from "./calendar.js";
import {
  appends,
  calendarOf,
  capacityOf,
  type Calendar,
  type StoredConfig,
} from "./config.js";
import { PERIODS } from "./periods.js";
import {
  isWithin,
  oneOf,
  reject,
  requireAbove0,
  requireAtLeast0,
} from "./reject.js";

/** The most shards that a limit may ask for. */
export const MAX_SHARDS = 1024;

/** From this capacity on, a float as large tells no single token. */
const UNCOUNTABLE = 2 ** 52;

/** The last ms, either way from the epoch, that a `Date` can tell. */
const LAST_DATE = 8.64e15;

/**
 * Checks a config as it is given.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkConfig(name: string, config: StoredConfig): void {
  checkInForce(name, config);
  const { warnAt, headroom = 0 } = config;
  const capacity = capacityOf(config);
  if (capacity >= UNCOUNTABLE) {
    const field = config.capacity === undefined ? "rate" : "capacity";
    const wanted =
      "below 2 ** 52, so that each token counts (an override with unlimited: true is no limit at all)";
    reject(name, field, wanted, capacity);
  }
  if (warnAt !== undefined) checkWarnAt(name, config, [warnAt].flat());
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

function checkWarnAt(
  name: string,
  config: StoredConfig,
  shares: readonly number[],
): void {
  const wanted = "one or more shares above 0 and up to 1";
  if (shares.length === 0) reject(name, "warnAt", wanted, "[]");
  for (const share of shares) {
    if (share === 0 || !isWithin(share, 0, 1)) {
      reject(name, "warnAt", wanted, share);
    }
  }
  const { shards = 1 } = config;
  if (shards > 1 && !appends(config)) {
    throw new Error(
      `Rate limit ${name}: warnAt needs one row, and shards is ${shards}. Ask list or stats, or use applyUpdates: "asynchronously".`,
    );
  }
}

/**
 * The one place where the numbers of a config are checked: as it is in force, perhaps by an
 * override of an earlier release, which may also lower the capacity below the headroom.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkInForce(name: string, config: StoredConfig): void {
  const check = (
    field: keyof StoredConfig,
    isLegal: boolean,
    wanted: string,
  ) => {
    if (!isLegal) reject(name, field, wanted, config[field]);
  };
  const share = "true, false, or a share of the";
  const { overrides = false, enforce = true, stats = false } = config;
  check("overrides", typeof overrides === "boolean", "true or false");
  check("enforce", isShare(enforce), `${share} keys from 0 to 1`);
  check("stats", isShare(stats), `${share} calls from 0 to 1`);
  requireOneOf(name, "kind", KINDS, config.kind);
  if (config.kind === "concurrency") {
    requireAtLeast0(name, "capacity", config.capacity);
    check("lease", isWithin(config.lease, 1), "a finite number of at least 1");
    return;
  }
  const { rate, period, capacity = 0, maxReserved = 0, headroom = 0 } = config;
  const { shards = 1, applyUpdates = "transactionally" } = config;
  requireAbove0(name, "rate", rate);
  requireAbove0(name, "period", period);
  requireAtLeast0(name, "capacity", capacity);
  requireAtLeast0(name, "maxReserved", maxReserved);
  requireAtLeast0(name, "headroom", headroom);
  requireOneOf(name, "applyUpdates", MODES, applyUpdates);
  const isCount = Number.isInteger(shards) && isWithin(shards, 1, MAX_SHARDS);
  check("shards", isCount, `a whole number from 1 to ${MAX_SHARDS}`);
  if (config.kind === "token bucket") {
    check("start", (config.start ?? null) === null, "left out or null");
    return;
  }
  const calendar = calendarOf(config);
  const [first, last] = calendar ? [FIRST, LAST] : [-LAST_DATE, LAST_DATE];
  const times = `a time in ms, from ${first} to ${last}`;
  const { start = 0 } = config;
  check("start", isWithin(start, first, last), times);
  if (calendar !== undefined) parseCalendar(name, calendar);
}

function isShare(value: unknown): boolean {
  return typeof value === "boolean" || isWithin(value, 0, 1);
}

/**
 * A calendar with names that are known.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseCalendar(
  name: string,
  {
    period,
    timeZone,
    weekStart,
    start,
  }: NonNullable<ReturnType<typeof calendarOf>>,
): Calendar {
  requireOneOf(name, "period", PERIODS, period);
  if (timeZone !== undefined && !isZone(timeZone)) {
    const wanted = "the IANA name of a time zone that the runtime knows";
    reject(name, "timeZone", wanted, timeZone);
  }
  if (weekStart === undefined) return { period, timeZone, start };
  requireOneOf(name, "weekStart", WEEKDAYS, weekStart);
  if (start !== undefined) {
    throw new Error(
      `Rate limit ${name}: weekStart "${weekStart}" does not go with start, on whose day weeks begin.`,
    );
  }
  return { period, timeZone, weekStart };
}

const KINDS = ["token bucket", "fixed window", "concurrency"];
const MODES = ["transactionally", "asynchronously"];

function requireOneOf<Word extends string>(
  name: string,
  field: string,
  words: readonly Word[],
  word: string,
): asserts word is Word {
  const known: readonly string[] = words;
  if (!known.includes(word)) reject(name, field, oneOf(words), word);
}
