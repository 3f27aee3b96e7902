import { describe, expect, test } from "vitest";
import { checkConfig } from "../../src/core/checkConfig.js";
import {
  appends,
  countedShare,
  overlay,
  toStored,
  type LimitConfig,
  type RateLimitConfig,
  type StoredConfig,
} from "../../src/core/config.js";
import { parseLimit } from "../../src/core/limit.js";
import {
  reject,
  requireAbove0,
  requireAtLeast0,
  shown,
} from "../../src/core/reject.js";
import { validateConfig } from "../../src/core/validateConfig.js";

const config = { kind: "fixed window", rate: 10, period: 60_000 } as const;
const bucket = { kind: "token bucket", rate: 10, period: 60_000 } as const;
const asynchronous = { ...config, applyUpdates: "asynchronously" } as const;

test.each([
  [undefined, 0],
  [false, 0],
  [0, 0],
  [0.25, 0.25],
  [1, 1],
  [true, 1],
])("with stats %s it counts %d of its calls", (stats, share) => {
  expect(countedShare({ ...config, stats })).toBe(share);
});

const countable =
  "below 2 ** 52, so that each token counts (an override with unlimited: true is no limit at all)";

describe("a config is refused", () => {
  test.each([
    [
      "kind",
      "leaky bucket",
      '"token bucket", "fixed window" or "concurrency", but is "leaky bucket"',
    ],
    [
      "kind",
      undefined,
      '"token bucket", "fixed window" or "concurrency", but is undefined',
    ],
    ["rate", 0, "a finite number above 0, but is 0"],
    ["rate", Infinity, "a finite number above 0, but is Infinity"],
    ["rate", "10", 'a finite number above 0, but is "10"'],
    ["period", -1, "a finite number above 0, but is -1"],
    ["period", NaN, "a finite number above 0, but is NaN"],
    ["capacity", -1e-9, "a finite number of at least 0, but is -1e-9"],
    ["maxReserved", -1, "a finite number of at least 0, but is -1"],
    ["maxReserved", Infinity, "a finite number of at least 0, but is Infinity"],
    ["shards", 0, "a whole number from 1 to 1024, but is 0"],
    ["shards", 1.5, "a whole number from 1 to 1024, but is 1.5"],
    ["shards", 1025, "a whole number from 1 to 1024, but is 1025"],
    [
      "start",
      NaN,
      "a time in ms, from -8640000000000000 to 8640000000000000, but is NaN",
    ],
    [
      "start",
      1e21,
      "a time in ms, from -8640000000000000 to 8640000000000000, but is 1e+21",
    ],
    [
      "start",
      null,
      "a time in ms, from -8640000000000000 to 8640000000000000, but is null",
    ],
    [
      "applyUpdates",
      "async",
      '"transactionally" or "asynchronously", but is "async"',
    ],
    [
      "applyUpdates",
      null,
      '"transactionally" or "asynchronously", but is null',
    ],
    ["overrides", "yes", 'true or false, but is "yes"'],
    ["overrides", null, "true or false, but is null"],
    [
      "enforce",
      "no",
      'true, false, or a share of the keys from 0 to 1, but is "no"',
    ],
    ["rate", 2 ** 52, `${countable}, but is 4503599627370496`],
    ["capacity", 2 ** 52, `${countable}, but is 4503599627370496`],
    [
      "capacity",
      Number.MAX_SAFE_INTEGER,
      `${countable}, but is 9007199254740991`,
    ],
    [
      "stats",
      1.1,
      "true, false, or a share of the calls from 0 to 1, but is 1.1",
    ],
    [
      "stats",
      -0.1,
      "true, false, or a share of the calls from 0 to 1, but is -0.1",
    ],
    [
      "stats",
      NaN,
      "true, false, or a share of the calls from 0 to 1, but is NaN",
    ],
    [
      "stats",
      "all",
      'true, false, or a share of the calls from 0 to 1, but is "all"',
    ],
    ["warnAt", 0, "one or more shares above 0 and up to 1, but is 0"],
    ["warnAt", 80, "one or more shares above 0 and up to 1, but is 80"],
    ["warnAt", "80%", 'one or more shares above 0 and up to 1, but is "80%"'],
    ["warnAt", null, "one or more shares above 0 and up to 1, but is null"],
    ["warnAt", [], 'one or more shares above 0 and up to 1, but is "[]"'],
    [
      "warnAt",
      [0.5, NaN],
      "one or more shares above 0 and up to 1, but is NaN",
    ],
    ["headroom", NaN, "a finite number of at least 0, but is NaN"],
    ["headroom", -1, "a finite number of at least 0, but is -1"],
    ["headroom", 10, "below the capacity of 10, but is 10"],
    ["headroom", 11, "below the capacity of 10, but is 11"],
  ])("for %s: %j", (field, value, message) => {
    const bad = { ...asynchronous, [field]: value } as RateLimitConfig;
    expect(() => checkConfig("api", bad)).toThrow(
      new Error(`Rate limit api: ${field} must be ${message}.`),
    );
  });

  test.each([
    ["capacity", 2 ** 53, `${countable}, but is 9007199254740992`],
    ["overrides", 1, "true or false, but is 1"],
  ])("for %s: %j of a limit on what runs at once", (field, value, message) => {
    const bad = { kind: "concurrency", capacity: 1, lease: 1, [field]: value };
    expect(() => checkConfig("api", bad as StoredConfig)).toThrow(
      new Error(`Rate limit api: ${field} must be ${message}.`),
    );
  });

  test.each([0, -1, 5.5, NaN, "now"])(
    "for start: %j of a bucket, which has no windows",
    (start) => {
      const bad = { ...bucket, start } as unknown as RateLimitConfig;
      expect(() => checkConfig("api", bad)).toThrow(
        new Error(
          `Rate limit api: start must be left out or null, but is ${shown(start)}.`,
        ),
      );
    },
  );

  test("for warnAt of a limit that is split", () => {
    expect(() =>
      checkConfig("api", { ...config, warnAt: 0.8, shards: 4 }),
    ).toThrow(
      new Error(
        'Rate limit api: warnAt needs one row, and shards is 4. Ask list or stats, or use applyUpdates: "asynchronously".',
      ),
    );
  });

  test("for a large capacity only if it is the capacity: a large rate fills a small one", () => {
    const fast = { ...bucket, rate: 1e300, capacity: 1 };
    expect(() => checkConfig("api", fast)).not.toThrow();
  });

  test("for stats of a limit on what runs at once, too", () => {
    const bad = {
      kind: "concurrency",
      capacity: 1,
      lease: 1,
      stats: 2,
    } as const;
    expect(() => checkConfig("api", bad)).toThrow(
      "Rate limit api: stats must be true, false, or a share of the calls from 0 to 1, but is 2.",
    );
  });

  test("for headroom with what no other call can overtake", () => {
    expect(() => checkConfig("api", { ...config, headroom: 1 })).toThrow(
      new Error(
        'Rate limit api: headroom needs applyUpdates: "asynchronously".',
      ),
    );
  });

  test("for headroom of a capacity that it fills", () => {
    expect(() =>
      checkConfig("api", { ...asynchronous, capacity: 3, headroom: 3 }),
    ).toThrow("below the capacity of 3");
  });
});

describe("a config is taken", () => {
  test.each([null, undefined])("with start: %s of a bucket", (start) => {
    expect(() => checkConfig("api", { ...bucket, start })).not.toThrow();
  });

  test.each([
    ["rate", 1e-9],
    ["period", 0.5],
    ["capacity", 0],
    ["maxReserved", 0],
    ["shards", 1],
    ["shards", 1024],
    ["capacity", 2 ** 52 - 1],
    ["start", -7.5],
    ["start", 8.64e15],
    ["start", -8.64e15],
    ["overrides", true],
    ["applyUpdates", "transactionally"],
    ["headroom", 0],
    ["headroom", 9.9],
    ["headroom", undefined],
    ["warnAt", 1],
    ["warnAt", [0.5, 0.95]],
  ])("with %s: %j", (field, value) => {
    const odd = { ...asynchronous, [field]: value } as RateLimitConfig;
    expect(() => checkConfig("api", odd)).not.toThrow();
  });

  test("with headroom 0 and no capacity at all", () => {
    const nothing = { ...asynchronous, capacity: 0, headroom: 0 };
    expect(() => checkConfig("api", nothing)).not.toThrow();
  });

  test("with headroom 0 in any mode", () => {
    expect(() => checkConfig("api", { ...config, headroom: 0 })).not.toThrow();
  });
});

describe("an override laid over a config", () => {
  const split = { ...config, capacity: 20, shards: 4 };

  test("changes what it names, and not the split or the usual capacity", () => {
    const limit = parseLimit("api", split, "k", {
      rate: 40,
      capacity: 2,
      maxReserved: 3,
    });
    expect(limit).toMatchObject({
      whole: { rate: 40, capacity: 2 },
      share: { rate: 10, capacity: 0.5 },
      shards: 4,
      maxReserved: 3,
      usualCapacity: 20,
    });
    expect(overlay(split, { rate: 40 })).toEqual({ ...split, rate: 40 });
  });

  test("may bring the capacity below the headroom", () => {
    const limit = parseLimit("api", { ...asynchronous, headroom: 5 }, "k", {
      capacity: 3,
    });
    expect(limit).toMatchObject({ headroom: 5, whole: { capacity: 3 } });
  });
});

describe("a limit whose grants are appended", () => {
  test.each([
    ["asynchronously", true, 1],
    ["transactionally", false, 4],
    [undefined, false, 4],
  ] as const)("applyUpdates %s: %s", (applyUpdates, expected, rows) => {
    const limit = { ...config, applyUpdates, shards: 4 };
    expect(appends(limit)).toBe(expected);
    expect(parseLimit("api", limit).shards).toBe(rows);
  });
});

describe("a config as an app writes it", () => {
  const validate = (config: unknown) => () =>
    validateConfig("api", config as RateLimitConfig);

  test("is an object", () => {
    for (const bad of [undefined, null, 5, "text"]) {
      expect(validate(bad)).toThrow(
        new Error(
          `Rate limit api: its config must be an object, but is ${String(bad)}.`,
        ),
      );
    }
  });

  test("has no field that does not exist", () => {
    expect(validate({ ...config, burst: 5 })).toThrow(
      new Error("Rate limit api: there is no field burst in a config."),
    );
    expect(validate({ ...config, toString: 5 })).toThrow("no field toString");
  });

  test("has all of those that do exist, and right values", () => {
    const all = {
      ...asynchronous,
      capacity: 20,
      maxReserved: 0,
      shards: 2,
      overrides: true,
      enforce: false,
      headroom: 1,
      start: 0,
      warnAt: 0.8,
    };
    expect(validate(all)).not.toThrow();
    expect(validate({ ...all, rate: -1 })).toThrow("rate must be");
  });
});

test.each([
  [{ ...config, applyUpdates: "async" }, "applyUpdates must be"],
  [{ ...config, overrides: "yes" }, "overrides must be"],
  [{ ...bucket, start: 0 }, "start must be"],
  [{ ...config, start: null }, "start must be"],
  [{ ...config, start: 1e21 }, "start must be"],
  [{ ...config, rate: Number.MAX_SAFE_INTEGER }, "rate must be"],
  [{ ...config, warnAt: [] }, "warnAt must be"],
  [{ ...config, warnAt: 0.8, shards: 2 }, "warnAt needs one row"],
  [{ kind: "concurrency", capacity: 1, lease: 1, warnAt: 2 }, "warnAt must"],
])(
  "%j, as JavaScript may write it, fails in the constructor",
  (bad, message) => {
    expect(() => validateConfig("api", bad as LimitConfig)).toThrow(
      `Rate limit api: ${message}`,
    );
  },
);

describe("numbers are checked", () => {
  test.each([
    [requireAbove0, 1e-300, true],
    [requireAbove0, 0, false],
    [requireAbove0, "1", false],
    [requireAbove0, undefined, false],
    [requireAtLeast0, 0, true],
    [requireAtLeast0, -1e-300, false],
    [requireAtLeast0, Infinity, false],
    [requireAtLeast0, 1n, false],
  ])("by %o: %s is legal: %s", (check, value, isLegal) => {
    const run = () => check("api", "count", value);
    if (isLegal) expect(run).not.toThrow();
    else expect(run).toThrow("Rate limit api: count must be a finite number");
  });

  test("a text is quoted, nothing else is", () => {
    expect(() => reject("api", "count", "5", "6")).toThrow(
      new Error('Rate limit api: count must be 5, but is "6".'),
    );
    expect(() => reject("api", "count", "5", 6)).toThrow("but is 6.");
  });
});

describe("windows of the calendar", () => {
  const monthly = {
    kind: "fixed window",
    rate: 100,
    period: "month",
    timeZone: "Europe/Berlin",
  } as const;

  test("cross into the component with a period in ms, and their calendar besides", () => {
    expect(toStored(monthly)).toEqual({
      kind: "fixed window",
      rate: 100,
      period: 30.436875 * 86_400_000,
      calendar: { period: "month", timeZone: "Europe/Berlin" },
    });
  });

  test.each([
    ["day", 86_400_000],
    ["week", 604_800_000],
    ["month", 2_629_746_000],
    ["year", 31_556_952_000],
  ] as const)("of a %s have %d ms on average", (period, ms) => {
    expect(toStored({ ...monthly, period }).period).toBe(ms);
  });

  test("leave a config without them as it is", () => {
    const plain = { kind: "fixed window", rate: 1, period: 1000 } as const;
    expect(toStored(plain)).toEqual(plain);
    expect(toStored({ ...plain, requireKey: true })).toEqual(plain);
  });

  test("stay under an override, unless it has a period", () => {
    const stored = toStored(monthly);
    expect(overlay(stored, { rate: 5 })).toEqual({ ...stored, rate: 5 });
    expect(overlay(stored, { period: 1000 })).toEqual({
      kind: "fixed window",
      rate: 100,
      period: 1000,
    });
  });

  test.each([
    [
      { ...monthly, period: "hour" },
      'period must be a finite number above 0, or of a fixed window "day", "week", "month" or "year", but is "hour".',
    ],
    [
      { ...monthly, timeZone: "Europe/Nowhere" },
      'timeZone must be the IANA name of a time zone that the runtime knows, but is "Europe/Nowhere".',
    ],
    [
      { ...monthly, period: 1000 },
      'timeZone "Europe/Berlin" needs a fixed window with the period "day", "week", "month" or "year".',
    ],
    [
      { ...monthly, weekStart: "sunday" },
      'weekStart "sunday" needs a fixed window with the period "week".',
    ],
    [
      { ...monthly, period: "week", weekStart: "someday" },
      'weekStart must be "monday", "tuesday", "wednesday", "thursday", "friday", "saturday" or "sunday", but is "someday".',
    ],
    [
      { ...monthly, start: 0 },
      'start 0 does not go with the period "month", whose windows start as the calendar says.',
    ],
    [
      { ...monthly, kind: "token bucket" },
      'period must be a finite number above 0, or of a fixed window "day", "week", "month" or "year", but is "month".',
    ],
  ])("%j is refused", (config, message) => {
    expect(() => validateConfig("api", config as LimitConfig)).toThrow(
      new Error(`Rate limit api: ${message}`),
    );
  });
});
