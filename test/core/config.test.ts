import { describe, expect, test } from "vitest";
import {
  checkConfig,
  checkWrittenConfig,
  formatValue,
} from "../../src/core/checks.js";
import {
  countedShare,
  toRateLimitConfig,
  toStored,
  type LimitConfig,
  type RateLimitConfig,
  type StoredConfig,
} from "../../src/core/config.js";

const config = { kind: "fixed window", rate: 10, period: 60_000 } as const;
const bucket = { kind: "token bucket", rate: 10, period: 60_000 } as const;

test.each([
  [undefined, 0],
  [false, 0],
  [0, 0],
  [0.25, 0.25],
  [1, 1],
  [true, 1],
])("stats: %s counts a share of %d of the calls", (stats, share) => {
  expect(countedShare({ ...config, stats })).toBe(share);
});

/** What a field must be, and values that are not that. */
const rules: [field: string, must: string, bad: unknown[]][] = [
  [
    "kind",
    '"token bucket", "fixed window" or "concurrency"',
    ["leaky bucket", undefined],
  ],
  ["rate", "a finite number above 0", [0, Infinity, "10"]],
  ["period", "a finite number above 0", [-1, NaN]],
  ["capacity", "a finite number of at least 0", [-1e-9]],
  ["maxReserved", "a finite number of at least 0", [-1, Infinity]],
  ["maxDebt", "a finite number of at least 0", [-1, NaN, Infinity]],
  ["shards", '"auto" or a whole number from 1 to 1024', [0, 1.5, 1025, "Auto"]],
  [
    "start",
    'a time in ms, from -8640000000000000 to 8640000000000000, or "first use"',
    [NaN, 1e21, null, "first call"],
  ],
  ["applyUpdates", '"transactionally" or "asynchronously"', ["async", null]],
  ["overrides", "true or false", ["yes", null]],
  [
    "enforce",
    "true, false, or a share of the keys from 0 to 1",
    ["0.5", -0.1, 1.1, NaN, Infinity, null],
  ],
  [
    "stats",
    "true, false, or a share of the calls from 0 to 1",
    [1.1, -0.1, NaN, "all"],
  ],
  ["warnAt", "one or more shares above 0 and up to 1", [0, 80, "80%", null]],
];

/** The same for a concurrency limit. */
const runningRules: typeof rules = [
  ["capacity", "a finite number of at least 0", [undefined, -1, NaN]],
  ["lease", "a finite number of at least 1", [undefined, 0, Infinity]],
  ["overrides", "true or false", [1]],
  ["stats", "true, false, or a share of the calls from 0 to 1", [2]],
  ["warnAt", "one or more shares above 0 and up to 1", [2]],
];

const countable =
  "below 2 ** 52, so that each token counts (an override with unlimited: true is no limit at all)";
const running = { kind: "concurrency", capacity: 1, lease: 1 };

const refused = (of: object, some: typeof rules) =>
  some.flatMap(([field, must, bad]) =>
    bad.map(
      (value) =>
        [field, formatValue(value), must, { ...of, [field]: value }] as const,
    ),
  );

describe("a config is refused", () => {
  type Foreign = { bad: LimitConfig; field: string; kind: string };

  test.each([
    ...refused(config, [
      ...rules,
      ["rate", countable, [2 ** 52]],
      ["capacity", countable, [2 ** 52]],
    ]),
    ...refused(running, [...runningRules, ["capacity", countable, [2 ** 53]]]),
  ])("for %s: %s, which must be %s: %j", (field, shown, must, bad) => {
    expect(() => checkConfig("api", bad as unknown as StoredConfig)).toThrow(
      new Error(`Rate limit api: ${field} must be ${must}, but is ${shown}.`),
    );
  });

  test.each([0, -1, 5.5, NaN, "now"])(
    "for start: %j of a bucket, which has no windows",
    (start) => {
      const bad = { ...bucket, start } as unknown as RateLimitConfig;
      expect(() => checkConfig("api", bad)).toThrow(
        new Error(
          `Rate limit api: start must be left out or null, but is ${formatValue(start)}.`,
        ),
      );
    },
  );

  test.each([
    [[], '"[]"'],
    [[0.5, NaN], "NaN"],
  ])("for warnAt: %j", (warnAt, shown) => {
    expect(() => checkConfig("api", { ...config, warnAt })).toThrow(
      `warnAt must be one or more shares above 0 and up to 1, but is ${shown}.`,
    );
  });

  test.each`
    more                                               | shards
    ${{ warnAt: 0.8, shards: 4 }}                      | ${"4"}
    ${{ warnAt: 0.8, shards: "auto" }}                 | ${'"auto"'}
    ${{ warnAt: 0.8, applyUpdates: "asynchronously" }} | ${'"auto"'}
  `(
    "for options that do not go together: $more",
    (one: { more: object; shards: string }) => {
      expect(() => checkConfig("api", { ...config, ...one.more })).toThrow(
        new Error(
          `Rate limit api: warnAt needs one row, and shards is ${one.shards}. Ask list or stats.`,
        ),
      );
    },
  );

  test.each`
    bad                                               | field             | kind
    ${{ ...running, shards: 2 }}                      | ${"shards"}       | ${"concurrency"}
    ${{ ...running, rate: 2 }}                        | ${"rate"}         | ${"concurrency"}
    ${{ ...running, applyUpdates: "asynchronously" }} | ${"applyUpdates"} | ${"concurrency"}
    ${{ ...bucket, lease: 1 }}                        | ${"lease"}        | ${"token bucket"}
  `(
    "for $field of another kind than $kind",
    ({ bad, field, kind }: Foreign) => {
      expect(() => checkWrittenConfig("api", bad)).toThrow(
        new Error(
          `Rate limit api: there is no ${field} in a limit of kind "${kind}".`,
        ),
      );
    },
  );
});

describe("a config is accepted", () => {
  test("with a rate of 1e300, if its capacity is small", () => {
    const fast = { ...bucket, rate: 1e300, capacity: 1 };
    expect(() => checkConfig("api", fast)).not.toThrow();
  });

  test.each([null, undefined])("with start: %s of a bucket", (start) => {
    expect(() => checkConfig("api", { ...bucket, start })).not.toThrow();
  });

  test.each([
    ["rate", 1e-9],
    ["period", 0.5],
    ["capacity", 0],
    ["maxReserved", 0],
    ["maxDebt", 0],
    ["shards", 1024],
    ["capacity", 2 ** 52 - 1],
    ["start", -7.5],
    ["start", 8.64e15],
    ["start", -8.64e15],
    ["applyUpdates", "transactionally"],
    ["applyUpdates", "asynchronously"],
    ["warnAt", [0.5, 0.95]],
  ])("with %s: %j", (field, value) => {
    const odd = { ...config, [field]: value } as RateLimitConfig;
    expect(() => checkConfig("api", odd)).not.toThrow();
  });
});

describe("a written config", () => {
  const validate = (config: unknown) => () =>
    checkWrittenConfig("api", config as RateLimitConfig);

  test("may have fields of another kind, if they are undefined", () => {
    expect(validate({ ...config, lease: undefined })).not.toThrow();
    const running = { kind: "concurrency", capacity: 1, lease: 1 };
    const absent = { rate: undefined, shards: undefined };
    expect(validate({ ...running, ...absent })).not.toThrow();
  });
});

describe("calendar windows", () => {
  const monthly = {
    kind: "fixed window",
    rate: 100,
    period: "month",
    timeZone: "Europe/Berlin",
  } as const;

  test("are stored with a period in ms and their calendar", () => {
    expect(toStored(monthly)).toEqual({
      kind: "fixed window",
      rate: 100,
      period: 30.436875 * 86_400_000,
      calendar: { period: "month", timeZone: "Europe/Berlin" },
    });
  });

  test("are stored with their start, which pages do not see", () => {
    const stored = toStored({ ...monthly, start: 5 });
    expect(stored).toEqual({ ...toStored(monthly), start: 5 });
    expect(toRateLimitConfig(stored)).toEqual(
      toRateLimitConfig(toStored(monthly)),
    );
    expect(toRateLimitConfig(stored)).not.toHaveProperty("start");
    expect(() => checkConfig("api", stored)).not.toThrow();
  });

  test.each([
    ["day", 86_400_000],
    ["week", 604_800_000],
    ["month", 2_629_746_000],
    ["year", 31_556_952_000],
  ] as const)("of a %s last %d ms on average", (period, ms) => {
    expect(toStored({ ...monthly, period }).period).toBe(ms);
  });

  test("are not added to a plain config, which loses only requireKey", () => {
    const plain = { kind: "fixed window", rate: 1, period: 1000 } as const;
    expect(toStored(plain)).toEqual(plain);
    expect(toStored({ ...plain, requireKey: true })).toEqual(plain);
  });

  const period =
    'period must be a finite number above 0, or of a fixed window "day", "week", "month" or "year"';
  const timeZone =
    "timeZone must be the IANA name of a time zone that the runtime knows";
  const start =
    'start must be a time in ms, from -30610224000000 to 8639913600000000, with the period "month"';
  const weekStart =
    'weekStart must be "monday", "tuesday", "wednesday", "thursday", "friday", "saturday" or "sunday"';

  const needsPeriods =
    'needs a fixed window with the period "day", "week", "month" or "year"';
  const needsWeeks = 'needs a fixed window with the period "week"';
  const plainWeek = { period: 1000, timeZone: undefined, weekStart: "monday" };
  const startedWeek = { period: "week", weekStart: "monday", start: 0 };

  test.each([
    [{ period: "hour" }, `${period}, but is "hour"`],
    [{ period: "toString" }, `${period}, but is "toString"`],
    [{ kind: "token bucket" }, `${period}, but is "month"`],
    [{ timeZone: "Europe/Nowhere" }, `${timeZone}, but is "Europe/Nowhere"`],
    [{ timeZone: "+01:00" }, `${timeZone}, but is "+01:00"`],
    [{ period: 1000 }, `timeZone "Europe/Berlin" ${needsPeriods}`],
    [{ weekStart: "sunday" }, `weekStart "sunday" ${needsWeeks}`],
    [plainWeek, `weekStart "monday" ${needsWeeks}`],
    [{ period: "week", weekStart: "Monday" }, `${weekStart}, but is "Monday"`],
    [{ period: "week", weekStart: 1 }, `${weekStart}, but is 1`],
    [{ start: 8.64e15 }, `${start}, but is 8640000000000000`],
    [{ start: "first use" }, `${start}, but is "first use"`],
    [
      startedWeek,
      'weekStart "monday" does not go with start, on whose day weeks begin',
    ],
    [{ calendar: { period: "day" } }, "there is no field calendar in a config"],
  ])("are refused with %j", (bad, message) => {
    const config = { ...monthly, ...bad } as unknown as LimitConfig;
    expect(() => checkWrittenConfig("api", config)).toThrow(
      new Error(`Rate limit api: ${message}.`),
    );
  });
});
