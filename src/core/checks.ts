import { type Bucket, FIRST_USE } from "./bucket.js";
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
  overlay,
  shardsOf,
  type StoredConfig,
  toStored,
} from "./config.js";
import { likeliest } from "./nearest.js";
import { PERIODS } from "./periods.js";
import { resolutionOf } from "./tolerance.js";
import type { ConfigOverride, GivenConfig, SetOverride } from "./validators.js";

/*
 * The rules of a config, then those of a request. The client checks configs by them when a module
 * loads, the component checks everything when it is called.
 */

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

/**
 * What a value must be, in words, and whether it is that. Words that have to be put together are
 * made when they are needed: each call loads this module anew.
 */
type Requirement = readonly [
  wanted: string | (() => string),
  isMet: (value: unknown) => boolean,
];

const FINITE: Requirement = ["a finite number", Number.isFinite];

const ABOVE_0: Requirement = [
  "a finite number above 0",
  (value) => isWithin(value, Number.MIN_VALUE),
];

const AT_LEAST_0: Requirement = [
  "a finite number of at least 0",
  (value) => isWithin(value, 0),
];

const FLAG: Requirement = [
  "true or false",
  (value) => typeof value === "boolean",
];

const ZONE: Requirement = [
  "the IANA name of a time zone that the runtime knows",
  isZone,
];

const shareOf = (what: string): Requirement => [
  `true, false, or a share of the ${what} from 0 to 1`,
  (value) => typeof value === "boolean" || isWithin(value, 0, 1),
];

const anyOf = (words: readonly unknown[]): Requirement => [
  () => oneOf(words),
  (value) => words.includes(value),
];

type Kind = LimitConfig["kind"];
const KINDS: readonly Kind[] = ["token bucket", "fixed window", "concurrency"];

const SHARED_FIELDS = {
  kind: anyOf(KINDS),
  requireKey: FLAG,
  overrides: FLAG,
  enforce: shareOf("keys"),
  stats: shareOf("calls"),
  /** For each share, if it is a list. */
  warnAt: [
    "one or more shares above 0 and up to 1",
    (value) => isWithin(value, Number.MIN_VALUE, 1),
  ],
} satisfies Partial<Record<FieldOfConcurrency, Requirement>>;

const REFILLING_FIELDS: Record<
  Exclude<FieldOfRefilling, "start">,
  Requirement
> = {
  rate: ABOVE_0,
  period: ABOVE_0,
  capacity: AT_LEAST_0,
  maxReserved: AT_LEAST_0,
  maxDebt: AT_LEAST_0,
  shards: [
    `"auto" or a whole number from 1 to ${MAX_SHARDS}`,
    (value) =>
      value === "auto" ||
      (Number.isInteger(value) && isWithin(value, 1, MAX_SHARDS)),
  ],
  applyUpdates: anyOf(["transactionally", "asynchronously"]),
  timeZone: ZONE,
  weekStart: anyOf(WEEKDAYS),
  // Spread last: V8 is slow with objects that grow after a spread.
  ...SHARED_FIELDS,
};

/** The fields that a limit of each kind may have. */
const FIELDS: Record<Kind, Partial<Record<string, Requirement>>> = {
  "token bucket": {
    start: ["left out or null", (value) => value === null],
    ...REFILLING_FIELDS,
  },
  "fixed window": {
    start: [
      `a time in ms, from -${LAST_DATE} to ${LAST_DATE}, or "${FIRST_USE}"`,
      (value) => value === FIRST_USE || isWithin(value, -LAST_DATE, LAST_DATE),
    ],
    ...REFILLING_FIELDS,
  },
  concurrency: {
    capacity: AT_LEAST_0,
    lease: ["a finite number of at least 1", (value) => isWithin(value, 1)],
    ...SHARED_FIELDS,
  } satisfies Record<FieldOfConcurrency, Requirement>,
};

/** The required fields. All others may be left out. */
const REQUIRED: Record<Kind, readonly string[]> = {
  "token bucket": ["rate", "period"],
  "fixed window": ["rate", "period"],
  concurrency: ["capacity", "lease"],
};

/**
 * The fields that a limit of this kind may have, each with what it must be.
 *
 * @throws An `Error` that names the limit and the kind, if there is no such kind.
 */
function fieldsOf(
  name: string,
  kind: Kind,
): Partial<Record<string, Requirement>> {
  requireValue(name, "kind", SHARED_FIELDS.kind, kind);
  return FIELDS[kind];
}

/** @throws An `Error` if a field that this kind lacks is one of another kind. */
function requireOfKind(name: string, field: string, kind: Kind): void {
  if (
    KINDS.some((other) => Object.hasOwn(FIELDS[other], field)) ||
    (field === "calendar" && kind !== "fixed window")
  ) {
    rejectField(name, field, kind);
  }
}

/** @throws An `Error` that names the limit, the field and the kind. */
function rejectField(name: string, field: string, kind: Kind): never {
  throw new Error(
    `Rate limit ${name}: there is no ${field} in a limit of kind "${kind}".`,
  );
}

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
  for (const field of REQUIRED[kind]) {
    requireValue(name, field, fields[field]!, given[field]);
  }
  for (const field in given) {
    const value = given[field];
    if (value === undefined) continue;
    const wanted = fields[field];
    if (wanted === undefined) {
      requireOfKind(name, field, kind);
      continue;
    }
    const values = field === "warnAt" ? sharesOf(value) : [value];
    for (const one of values) requireValue(name, field, wanted, one);
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
  if (timeZone !== undefined) requireValue(name, "timeZone", ZONE, timeZone);
  if (
    start === FIRST_USE ||
    !isWithin(start ?? 0, FIRST_CALENDAR_MS, LAST_CALENDAR_MS)
  ) {
    const wanted = `a time in ms, from ${FIRST_CALENDAR_MS} to ${LAST_CALENDAR_MS}, with the period "${period}"`;
    reject(name, "start", wanted, start);
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

/**
 * Checks a config as an app writes it. Also rejects fields that do not exist.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkWrittenConfig(name: string, config: LimitConfig): void {
  checkWrittenFields(name, config);
  checkConfig(name, toStored(config));
}

/**
 * Checks what a stored config no longer shows: which fields the app wrote, `requireKey`, and
 * whether the period is one of a calendar. The component checks the rest of a config that comes
 * with a call.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkWrittenFields(name: string, config: LimitConfig): void {
  if (typeof config !== "object" || config === null) {
    throw new Error(
      `Rate limit ${name}: its config must be an object, but is ${String(config)}.`,
    );
  }
  const { kind } = config;
  const fields = fieldsOf(name, kind);
  for (const [field, value] of Object.entries(config)) {
    if (value === undefined || Object.hasOwn(fields, field)) continue;
    requireOfKind(name, field, kind);
    const meant = likeliest(field, Object.keys(fields));
    throw new Error(
      `Rate limit ${name}: there is no field ${field} in a config.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    );
  }
  const { requireKey = false } = config;
  requireValue(name, "requireKey", fields.requireKey!, requireKey);
  checkPeriod(name, config);
}

/** Checks `period`, `timeZone` and `weekStart` against each other. */
function checkPeriod(name: string, config: LimitConfig): void {
  const { kind, period, timeZone, weekStart } = config;
  if (typeof period === "string") {
    if (kind !== "fixed window" || !PERIODS.includes(period)) {
      const wanted = `a finite number above 0, or of a fixed window ${oneOf(PERIODS)}`;
      reject(name, "period", wanted, period);
    }
  } else if (timeZone !== undefined) {
    rejectWithout(name, "timeZone", timeZone, PERIODS);
  }
  if (period !== "week" && weekStart !== undefined) {
    rejectWithout(name, "weekStart", weekStart, ["week"]);
  }
}

/** @throws An `Error`: the field needs one of these periods. */
function rejectWithout(
  name: string,
  field: string,
  value: unknown,
  periods: readonly string[],
): never {
  throw new Error(
    `Rate limit ${name}: ${field} ${formatValue(value)} needs a fixed window with the period ${oneOf(periods)}.`,
  );
}

const ANY_CONFIG = { kind: "token bucket", rate: 1, period: 1 } as const;

/**
 * Checks each field of an override by itself, as the config that it changes need not be known.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkOverride(name: string, override: ConfigOverride): void {
  const fields = Object.entries(override).filter(
    ([, value]) => value !== undefined,
  );
  checkConfig(name, overlay(ANY_CONFIG, Object.fromEntries(fields)));
}

/** @throws An `Error` if there is nothing that `setOverride` could credit. */
export function requireCreditable<Config extends { kind: Kind }>(
  { name, key, override, startsAt }: SetOverride,
  config: Config | undefined,
): asserts config is Config {
  const rejectUnless = (isSo: boolean, but: string) => {
    if (isSo) return;
    throw new Error(
      `Rate limit ${name}: credit gives one key what its capacity grows by at once, but ${but}.`,
    );
  };
  rejectUnless(config !== undefined, "the limit's config is missing");
  rejectUnless(key !== undefined, "there is no key");
  rejectUnless("config" in override, "the override has no config");
  rejectUnless(startsAt === undefined, `startsAt is ${startsAt}`);
  rejectUnless(
    config?.kind !== "concurrency",
    `the limit's kind is "concurrency"`,
  );
}

/** @throws An `Error` if an override has a field that the kind of the limit does not have. */
export function requireOverridable(
  name: string,
  { kind }: { kind: Kind },
  override: ConfigOverride,
): void {
  const fields = fieldsOf(name, kind);
  for (const [field, value] of Object.entries(override)) {
    if (value === undefined || Object.hasOwn(fields, field)) continue;
    rejectField(name, field, kind);
  }
}

/** What a count must be, by what it is for. A negative one to take gives tokens back. */
const COUNTS = { take: FINITE, hold: AT_LEAST_0, move: ABOVE_0 };

/**
 * @param use What the count is for: to `take` if the balance has it, to `hold`, or to `move` by a
 * credit or a charge.
 * @param capacity If it is known: the count must be one that floats this large can tell from 0.
 * @throws An `Error` that names the limit and the value.
 */
export function requireCount(
  name: string,
  use: keyof typeof COUNTS,
  count: number,
  capacity = 0,
): void {
  requireValue(name, "count", COUNTS[use], count);
  const least = resolutionOf(capacity);
  if (count !== 0 && Math.abs(count) <= least) {
    reject(name, "count", `0, or above ${least}: its capacity is large`, count);
  }
}

/**
 * Checks a request to a limit, with its defaults filled in.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkRequest(
  { name, kind, whole }: { name: string; kind: Kind; whole: Bucket },
  request: { count: number; reserve: boolean; leave: number; upTo: boolean },
): void {
  const { count, reserve, leave, upTo } = request;
  const isHeld = kind === "concurrency";
  requireCount(name, isHeld ? "hold" : "take", count, whole.capacity);
  if (isHeld && reserve) {
    throw new Error(
      `Rate limit ${name}: what is held cannot be reserved. Its kind is "concurrency".`,
    );
  }
  requireField(name, "leave", leave);
  if (upTo && reserve) {
    throw new Error(`Rate limit ${name}: upTo and reserve exclude each other.`);
  }
  if (upTo && count < 1) {
    reject(name, "count", "at least 1 with upTo", count);
  }
}

/** @throws An `Error` that names the verb and the value. */
export function requireUsed(verb: string, count: number | undefined): void {
  if (count !== undefined && Number.isFinite(count) && count >= 0) return;
  throw new Error(
    `${verb}: count must be a finite number of at least 0, but is ${count}.`,
  );
}

/** The other numbers that calls take. */
const REQUEST_FIELDS = {
  leave: AT_LEAST_0,
  expiresAfter: ABOVE_0,
  jitter: AT_LEAST_0,
  startsAt: FINITE,
  expiresAt: FINITE,
  forgetAfter: AT_LEAST_0,
} satisfies Record<string, Requirement>;

/**
 * Checks a number that a call takes. One that is absent passes.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function requireField(
  name: string,
  field: keyof typeof REQUEST_FIELDS,
  value: number | undefined,
): void {
  if (value === undefined) return;
  requireValue(name, field, REQUEST_FIELDS[field], value);
}

/** @throws An `Error` unless the value is a whole number from 1 to `most`. */
export function requireWhole(
  name: string,
  field: string,
  value: number,
  most?: number,
): void {
  const wanted = most === undefined ? "of at least 1" : `from 1 to ${most}`;
  if (Number.isInteger(value) && isWithin(value, 1, most)) return;
  reject(name, field, `a whole number ${wanted}`, value);
}

/** @throws An `Error` that names the limit and what is wrong with the bans of `penalize`. */
export function requireBans(name: string, bans: readonly number[]): void {
  if (bans.length === 0) {
    reject(name, "bans", "a list of at least one time in ms", "[]");
  }
  bans.forEach((ban, i) => {
    requireValue(name, `bans[${i}]`, ABOVE_0, ban);
    const before = bans[i - 1] ?? 0;
    if (ban < before) reject(name, `bans[${i}]`, `at least ${before}`, ban);
  });
}

/** The shares of a `warnAt`. */
function sharesOf(warnAt: unknown): readonly unknown[] {
  const shares = [warnAt].flat();
  return shares.length > 0 ? shares : ["[]"];
}

function requireOneOf<Word extends string>(
  name: string,
  field: string,
  words: readonly Word[],
  word: string,
): asserts word is Word {
  requireValue(name, field, anyOf(words), word);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireValue(
  name: string,
  field: string,
  [wanted, isMet]: Requirement,
  value: unknown,
): void {
  if (isMet(value)) return;
  reject(name, field, typeof wanted === "string" ? wanted : wanted(), value);
}

/** The most items of a list: each may take a dozen of the 4,096 queries of a transaction. */
const MAX_ITEMS = 256;

/**
 * @param what The verb that takes the list, if known.
 * @throws An `Error` if the list is too long for one transaction.
 */
export function requireShortList(
  { length }: readonly unknown[],
  what = "A list",
): void {
  if (length <= MAX_ITEMS) return;
  throw new Error(
    `${what} takes at most ${MAX_ITEMS} items, but was given ${length}.`,
  );
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
function oneOf(words: readonly unknown[]): string {
  const list = words.map(formatValue).join(", ");
  return list.replace(/, ([^,]*)$/, " or $1");
}
