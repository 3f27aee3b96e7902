import {
  FIRST_CALENDAR_MS,
  isZone,
  LAST_CALENDAR_MS,
  WEEKDAYS,
} from "./calendar.js";
import {
  type AnchoredCalendar,
  calendarOf,
  capacityOf,
  type Calendar,
  type FieldOfConcurrency,
  type FieldOfRefilling,
  type LimitConfig,
  shardsOf,
  type StoredConfig,
} from "./config.js";
import { PERIODS } from "./periods.js";
import type { GivenConfig } from "./validators.js";

/** The most shards that a limit may ask for. */
export const MAX_SHARDS = 1024;

/** From this capacity on, neighbouring floats are a whole token or more apart. */
const UNCOUNTABLE = 2 ** 52;

/** The furthest ms since the epoch, either way, that a `Date` can represent. */
const LAST_DATE = 8.64e15;

/**
 * Checks a config as the app gives it: its fields (see {@link checkFieldValues}), and the rules
 * across fields.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkConfig(
  name: string,
  config: GivenConfig | StoredConfig,
): asserts config is StoredConfig {
  checkFieldValues(name, config);
  const { warnAt } = config;
  const shards = shardsOf(config) ?? 1;
  const capacity = capacityOf(config);
  if (capacity >= UNCOUNTABLE) {
    const field = config.capacity === undefined ? "rate" : "capacity";
    const wanted =
      "below 2 ** 52, so that each token counts (an override with unlimited: true is no limit at all)";
    reject(name, field, wanted, capacity);
  }
  if (warnAt !== undefined && shards !== 1) {
    throw new Error(
      `Rate limit ${name}: warnAt needs one row, and shards is ${formatValue(shards)}. Ask list or stats.`,
    );
  }
}

/** @throws An `Error` that names the limit, the field and the value. */
type FieldCheck = (
  name: string,
  field: string,
  value: unknown,
  kind: Kind,
) => void;

type Kind = LimitConfig["kind"];

// Each call evaluates this module, so the tables are built only when needed.

const requireFlag: FieldCheck = (name, field, value = false) => {
  if (typeof value !== "boolean") reject(name, field, "true or false", value);
};

function requireShare(
  name: string,
  field: string,
  value: unknown,
  of: string,
): void {
  if (typeof value === "boolean" || isWithin(value, 0, 1)) return;
  const wanted = `true, false, or a share of the ${of} from 0 to 1`;
  reject(name, field, wanted, value);
}

const requireAmount: FieldCheck = (name, field, value = 0) =>
  requireAtLeast0(name, field, value);

function requireTime(
  name: string,
  field: string,
  value: unknown,
  first: number,
  last: number,
): void {
  if (isWithin(value, first, last)) return;
  reject(name, field, `a time in ms, from ${first} to ${last}`, value);
}

function requireZone(name: string, field: string, value: unknown): void {
  if (value === undefined || isZone(value)) return;
  const wanted = "the IANA name of a time zone that the runtime knows";
  reject(name, field, wanted, value);
}

const sharedFields = () =>
  ({
    kind: (name, field, value) => requireOneOf(name, field, KINDS, value),
    requireKey: requireFlag,
    overrides: requireFlag,
    enforce: (name, field, value = true) =>
      requireShare(name, field, value, "keys"),
    stats: (name, field, value = false) =>
      requireShare(name, field, value, "calls"),
    warnAt: (name, field, value = 1) => {
      const wanted = "one or more shares above 0 and up to 1";
      const shares = [value].flat();
      if (shares.length === 0) reject(name, field, wanted, "[]");
      for (const share of shares) {
        if (share === 0 || !isWithin(share, 0, 1)) {
          reject(name, field, wanted, share);
        }
      }
    },
  }) satisfies Partial<Record<FieldOfConcurrency, FieldCheck>>;

const concurrencyFields = (): Record<FieldOfConcurrency, FieldCheck> => ({
  capacity: requireAtLeast0,
  lease: (name, field, value) => {
    if (isWithin(value, 1)) return;
    reject(name, field, "a finite number of at least 1", value);
  },
  ...sharedFields(),
});

const refillingFields = (): Record<FieldOfRefilling, FieldCheck> => ({
  rate: requireAbove0,
  period: requireAbove0,
  capacity: requireAmount,
  maxReserved: requireAmount,
  shards: (name, field, value = 1) => {
    if (Number.isInteger(value) && isWithin(value, 1, MAX_SHARDS)) return;
    if (value === "auto") return;
    const wanted = `"auto" or a whole number from 1 to ${MAX_SHARDS}`;
    reject(name, field, wanted, value);
  },
  applyUpdates: (name, field, value = "transactionally") =>
    requireOneOf(name, field, MODES, value),
  start: (name, field, value, kind) => {
    if (value === undefined) return;
    if (kind === "fixed window") {
      requireTime(name, field, value, -LAST_DATE, LAST_DATE);
    } else if (value !== null) {
      reject(name, field, "left out or null", value);
    }
  },
  timeZone: requireZone,
  weekStart: (name, field, value = "monday") =>
    requireOneOf(name, field, WEEKDAYS, value),
  // Spread last: V8 is slow with objects that grow after a spread.
  ...sharedFields(),
});

/**
 * The fields that a limit of this kind may have, each with its check.
 *
 * @throws An `Error` that names the limit and the kind, if there is no such kind.
 */
export function fieldsOf(
  name: string,
  kind: LimitConfig["kind"],
): Partial<Record<string, FieldCheck>> {
  requireOneOf(name, "kind", KINDS, kind);
  if (kind === "concurrency") return (concurrency ??= concurrencyFields());
  return (refilling ??= refillingFields());
}

let concurrency: Record<FieldOfConcurrency, FieldCheck> | undefined;
let refilling: Record<FieldOfRefilling, FieldCheck> | undefined;

/** @throws An `Error` if a field that this kind lacks is one of another kind. */
export function requireOfKind(name: string, field: string, kind: Kind): void {
  const other = kind === "concurrency" ? "fixed window" : "concurrency";
  if (
    Object.hasOwn(fieldsOf(name, other), field) ||
    (field === "calendar" && kind !== "fixed window")
  ) {
    rejectField(name, field, kind);
  }
}

/** @throws An `Error` that names the limit, the field and the kind. */
export function rejectField(name: string, field: string, kind: Kind): never {
  throw new Error(
    `Rate limit ${name}: there is no ${field} in a limit of kind "${kind}".`,
  );
}

/** The required fields. All others may be left out. */
const REQUIRED_OF_REFILLING = ["rate", "period"];
const REQUIRED_OF_CONCURRENCY = ["capacity", "lease"];

/**
 * Checks each field of a config in force, which an override may have changed. The one place that
 * checks fields. It skips the rules across fields: an override that was set under another config
 * may break them.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkFieldValues(
  name: string,
  config: GivenConfig | StoredConfig,
): asserts config is StoredConfig {
  const { kind } = config;
  const fields = fieldsOf(name, kind);
  const given: Partial<Record<string, unknown>> = config;
  for (const field of kind === "concurrency"
    ? REQUIRED_OF_CONCURRENCY
    : REQUIRED_OF_REFILLING) {
    fields[field]?.(name, field, given[field], kind);
  }
  for (const field in given) {
    const value = given[field];
    if (value === undefined) continue;
    const check = fields[field];
    if (check !== undefined) check(name, field, value, kind);
    else requireOfKind(name, field, kind);
  }
  const calendar = calendarOf(config);
  if (calendar !== undefined) parseCalendar(name, calendar);
}

/**
 * Checks a stored calendar, and types its names.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseCalendar(
  name: string,
  { period, timeZone, weekStart, start }: AnchoredCalendar,
): Calendar {
  requireOneOf(name, "period", PERIODS, period);
  requireZone(name, "timeZone", timeZone);
  if (start !== undefined)
    requireTime(name, "start", start, FIRST_CALENDAR_MS, LAST_CALENDAR_MS);
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
  word: unknown,
): asserts word is Word {
  const known: readonly unknown[] = words;
  if (!known.includes(word)) reject(name, field, oneOf(words), word);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireAbove0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isWithin(value, Number.MIN_VALUE)) return;
  reject(name, field, "a finite number above 0", value);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireAtLeast0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isWithin(value, 0)) return;
  reject(name, field, "a finite number of at least 0", value);
}

/** The most bytes of a key, or of an operator's note, in UTF-8. */
const MAX_STRING_BYTES = 1024;

/**
 * @throws An `Error` if the string is too long. It names the limit, the field and the length, but
 * not the string, which may come from a stranger.
 */
export function requireShortString(
  name: string,
  field: string,
  value: string | undefined,
): void {
  if (value === undefined || isShortString(value)) return;
  throw new Error(
    `Rate limit ${name}: ${field} must be at most ${MAX_STRING_BYTES} bytes long in UTF-8, but has ${bytesOf(value)}.`,
  );
}

/** @throws An `Error` if a caller's id is empty or too long. */
export function requireOnce(name: string, once: string | undefined): void {
  if (once === "") reject(name, "once", "a non-empty string", once);
  requireShortString(name, "once", once);
}

/** Whether a string is short enough for a key. */
export function isShortString(value: string): boolean {
  // A shortcut: no UTF-16 unit takes more than three bytes.
  return (
    value.length * 3 <= MAX_STRING_BYTES || bytesOf(value) <= MAX_STRING_BYTES
  );
}

function bytesOf(value: string): number {
  return new TextEncoder().encode(value).length;
}

/** Whether a value is a finite number from `least` to `most`. */
function isWithin(
  value: unknown,
  least: number,
  most: number = Number.MAX_VALUE,
): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

/** @throws An `Error` that names the limit, the field and the value. */
export function reject(
  name: string,
  field: string,
  wanted: string,
  value: unknown,
): never {
  throw new Error(
    `Rate limit ${name}: ${field} must be ${wanted}, but is ${formatValue(value)}.`,
  );
}

/** Formats a value for a message. */
export function formatValue(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

/** Formats words for a message: `"a", "b" or "c"`. */
export function oneOf(words: readonly string[]): string {
  const list = words.map((word) => `"${word}"`).join(", ");
  return list.replace(/, ([^,]*)$/, " or $1");
}
