import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { project, timeWhenFull, type State } from "../../src/core/bucket.js";
import {
  fullAtByDebits,
  isOfOtherRule,
  readChain,
  rowOf,
} from "../../src/core/replay.js";
import type { Debit } from "../../src/core/validators.js";
import type { RateLimitConfig, StoredConfig } from "../../src/core/config.js";
import { toLimit, ruleOf, type Limit } from "../../src/core/limit.js";
import { PERIOD_MS } from "../../src/core/periods.js";
import { type Row, toRow } from "../../src/core/rows.js";
import { aKind, quarters, step } from "../support/arbitraries.js";
import { Model } from "../support/model.js";
import { runs, times } from "../support/seed.js";

const START = 1_000_000;

/** One of the things that a transaction does to the limit. */
type Verb =
  | { kind: "take" | "charge" | "credit"; count: number }
  | { kind: "reset" }
  | { kind: "checkpoint" };

type Step =
  | { verb: "begin"; move: number; verbs: Verb[] }
  /** One of the open transactions; `which` is taken modulo their number. */
  | { verb: "commit"; which: number }
  /** Makes `count` more commits visible. */
  | { verb: "show"; count: number }
  /** Deletes what is at or behind the largest `seen`, or a share of it. */
  | { verb: "sweep"; share: number };

type Open = {
  record: Omit<Debit, "at"> | undefined;
};

/** Transactions on one chain: each sees what was visible when it began, and its own writes. */
class World {
  now = START;
  readonly log: (Debit & { at: bigint })[] = [];
  private open: Open[] = [];
  private visible = 0;
  private deletedUpTo = 0n;

  constructor(readonly limit: Limit) {}

  async run(
    steps: readonly Step[],
    look: (world: World) => Promise<void> = async () => {},
  ): Promise<this> {
    for (const step of steps) {
      await this.do(step);
      await look(this);
    }
    return this;
  }

  /** What a reader sees, the newest first. */
  seen(all = false): (Debit & { at: bigint })[] {
    const seen = this.log.slice(0, this.visible);
    return seen.filter(({ at }) => all || at > this.deletedUpTo).reverse();
  }

  async state(all = false): Promise<Row | undefined> {
    return rowOf(this.limit, await meet(this.seen(all)));
  }

  /** The balance at a time that no record is after. */
  async balance(): Promise<number> {
    return project(this.limit.whole, await this.state(), this.latest()).value;
  }

  latest(): number {
    return this.seen(true).reduce((a, { ts }) => Math.max(a, ts), this.now);
  }

  /** Commits everything that is open, and makes it visible. */
  async finish(): Promise<this> {
    while (this.open.length > 0) await this.do({ verb: "commit", which: 0 });
    return this.run([{ verb: "show", count: Infinity }]);
  }

  private async do(step: Step): Promise<void> {
    switch (step.verb) {
      case "begin":
        this.now += step.move;
        this.open.push(await this.begin(step.verbs));
        break;
      case "commit": {
        const [one] = this.open.splice(step.which % this.open.length, 1);
        if (one?.record === undefined) return;
        this.log.push({ ...one.record, at: BigInt(this.log.length + 1) });
        break;
      }
      case "show":
        this.visible = Math.min(this.log.length, this.visible + step.count);
        break;
      case "sweep": {
        const most = this.seen().reduce((a, { seen }) => max(a, seen), 0n);
        const upTo = BigInt(Math.floor(Number(most) * step.share));
        this.deletedUpTo = max(this.deletedUpTo, upTo);
      }
    }
  }

  private async begin(verbs: Verb[]): Promise<Open> {
    const { limit, now } = this;
    const met = this.seen();
    let state: (State & Pick<Row, "fullAt">) | undefined = await this.state();
    let record: Open["record"];
    for (const verb of verbs) {
      const before = project(
        limit.whole,
        state,
        Math.max(now, state?.ts ?? now),
      );
      const seen = met[0]?.at ?? 0n;
      if (verb.kind === "reset") {
        const full = { value: limit.whole.capacity, ts: before.ts };
        record = { seen, count: 0, reset: true, ...stored(limit, full, now) };
        state = undefined;
        continue;
      }
      if (verb.kind === "checkpoint") {
        if (record !== undefined || met.length === 0) continue;
        const left = state ?? stored(limit, before, now);
        const fullAt = left.fullAt ?? stored(limit, left, now).fullAt;
        record = { seen, count: 0, ...left, fullAt };
        continue;
      }
      const { kind, count: asked } = verb;
      const value = this.after(kind, asked, before.value);
      if (value === before.value) continue;
      const count = before.value - value;
      state = stored(limit, { ...before, value }, now);
      record = {
        seen,
        count: (record?.count ?? 0) + count,
        reset: record?.reset,
        ...stored(limit, state, now),
      };
    }
    const rule = ruleOf(limit);
    return { record: record && { ...record, rule } };
  }

  private after(
    kind: "take" | "charge" | "credit",
    count: number,
    before: number,
  ): number {
    const { capacity } = this.limit.whole;
    if (kind === "charge") return before - count;
    if (kind === "credit") return Math.min(capacity, before + count);
    return before >= count ? before - count : before;
  }
}

/** A balance, as a record stores it. */
type Left = Pick<Debit, "value" | "ts" | "nextAt" | "fullAt">;

function stored(limit: Limit, state: State, now: number): Left {
  const row = toRow(limit, { shard: 0, parts: 1, ...state }, now);
  const { value, ts, fullAt, nextAt } = row;
  return { value, ts, fullAt: fullAt!, nextAt };
}

function meet(newestFirst: readonly Debit[]): Promise<Debit[]> {
  return readChain(
    (async function* () {
      yield* newestFirst;
    })(),
  );
}

const max = (a: bigint, b: bigint) => (a > b ? a : b);

/**
 * The balance at a time if every record is replayed, in the order of the commits. This is the
 * oracle: it knows what each record took and when, not what a transaction saw or left.
 */
function replayed(
  config: RateLimitConfig,
  log: readonly Pick<Debit, "ts" | "count" | "reset">[],
  until: number,
): number {
  const model = new Model(config);
  for (const { ts, count, reset } of log) {
    if (reset) model.reset();
    model.move(count, ts);
  }
  return model.balance(until);
}

const aConfig: fc.Arbitrary<RateLimitConfig> = fc
  .record({
    kind: aKind,
    rate: quarters(0.25, 16),
    capacity: quarters(0, 30),
    period: fc.constantFrom(4, 60, 1000),
    start: fc.constantFrom(0, 17),
  })
  .map(({ kind, start, ...numbers }) =>
    kind === "token bucket"
      ? { kind, ...numbers }
      : { kind, ...numbers, start },
  );

const aCount = fc.oneof(fc.constant(1), quarters(0.25, 12));

const aTake: fc.Arbitrary<Verb> = fc.record({
  kind: fc.constant("take" as const),
  count: aCount,
});

const anyVerb: fc.Arbitrary<Verb> = fc.oneof(
  { weight: 6, arbitrary: aTake },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("credit", "charge"),
      count: aCount,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom("reset", "checkpoint") }),
  },
);

/** Commits are rare, and seen late, so that much is in flight at once and some for long. */
const someSteps = (
  aVerb: fc.Arbitrary<Verb>,
  move: fc.Arbitrary<number>,
): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      step("begin", 5, {
        move,
        verbs: fc.array(aVerb, { minLength: 1, maxLength: 3 }),
      }),
      step("commit", 4, { which: fc.nat({ max: 20 }) }),
      step("show", 2, { count: fc.integer({ min: 1, max: 4 }) }),
      step("sweep", 1, { share: fc.constantFrom(0.5, 1) }),
    ),
    { minLength: 1, maxLength: 60 },
  );

const forward = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 0, max: 3000 }),
);

const anyMove = fc.oneof(
  { weight: 5, arbitrary: forward },
  { weight: 1, arbitrary: fc.integer({ min: -2000, max: -1 }) },
);

const patience = { timeout: 30_000 * times };

describe("a chain of debits", () => {
  const SECOND = 1000;
  /** Regains a token each second. */
  const config = {
    kind: "token bucket",
    rate: 10,
    period: 10 * SECOND,
  } as const;
  const limit = toLimit("limit", config);

  /** A debit that took `count` and left `value` of ten. */
  const took = (
    at: bigint | undefined,
    seen: bigint,
    count: number,
    value: number,
    more: Partial<Debit> = {},
  ): Debit => {
    const fullAt = START + (10 - value) * SECOND;
    const rule = ruleOf(limit);
    const left = { value, ts: START, fullAt, rule };
    return { at, seen, count, ...left, ...more };
  };
  const twice = toLimit("limit", { ...config, capacity: 20 });
  const other = { rule: ruleOf(twice) };

  test("is read no further than a debit of the reader's own transaction", async () => {
    const own = took(undefined, 1n, 1, 9);
    expect(await meet([own, took(2n, 1n, 1, 9)])).toEqual([own]);
  });

  const windows = (rate: number, period: number) =>
    toLimit("limit", { kind: "fixed window", rate, period, start: 0 });
  const seconds = windows(20, SECOND);
  const DAY = PERIOD_MS.day;
  const days = windows(10, DAY);
  const calendar = { period: "day", timeZone: "UTC" } as const;
  const utcDays = toLimit("limit", {
    kind: "fixed window",
    rate: 10,
    period: DAY,
    calendar,
  });

  test.each<[string, Debit[], Partial<Row>, reader?: Limit]>([
    [
      "two concurrent debits",
      [took(2n, 0n, 4, 6), took(1n, 0n, 3, 7)],
      { value: 3, fullAt: START + 7 * SECOND },
    ],
    ["one debit, without rounding", [took(1n, 0n, 0.1, 0.3)], { value: 0.3 }],
    [
      "a debit that saw none, and a concurrent one that saw two",
      [took(4n, 0n, 4, 6), took(3n, 2n, 1, 6)],
      { value: 2 },
    ],
    [
      "a transaction that took after its own reset",
      [took(2n, 0n, 7, 3, { reset: true }), took(1n, 0n, 4, 6)],
      { value: 3 },
    ],
    [
      "the last of two resets, whatever was taken between",
      [
        took(3n, 0n, 1, 9, { reset: true }),
        took(2n, 0n, 5, 5),
        took(1n, 0n, 0, 10, { reset: true }),
      ],
      { value: 9 },
    ],
    [
      "a reset to another capacity, less a concurrent debit",
      [took(2n, 0n, 3, 1, other), took(1n, 0n, 0, 4, { reset: true })],
      { value: 1 },
    ],
    [
      "a reset of all limits, less a concurrent debit",
      [
        took(2n, 0n, 3, 1, other),
        took(1n, 0n, 0, 0, { reset: true, rule: undefined }),
      ],
      { value: 17, ts: START },
    ],
    [
      "a reset to a larger capacity, cut at that of a later debit",
      [took(2n, 0n, 3, 7), took(1n, 0n, 0, 20, { reset: true, ...other })],
      { value: 7 },
    ],
    [
      "a reset, in the windows of a concurrent debit, whoever reads it",
      [
        took(2n, 0n, 3, 7, { rule: ruleOf(seconds) }),
        took(1n, 0n, 0, 10, { reset: true }),
      ],
      { value: 7 },
      days,
    ],
    [
      "the newest window, which has no nextAt of a clock behind",
      [
        took(2n, 0n, 1, 9, {
          ts: DAY,
          nextAt: 2 * DAY,
          rule: ruleOf(utcDays),
        }),
        took(1n, 0n, 3, 7, { ts: 2 * DAY, rule: ruleOf(days) }),
      ],
      { value: 6, ts: 2 * DAY, nextAt: undefined },
      utcDays,
    ],
    [
      "the newest window, which has no usedAt of an earlier bucket",
      [
        took(2n, 0n, 1, 9, { ts: START + SECOND, rule: ruleOf(seconds) }),
        took(1n, 0n, 3, 7, { ts: START + 300 }),
      ],
      { value: 6, ts: START + SECOND, usedAt: undefined },
    ],
    [
      "a window with the later of two usedAt",
      [
        took(2n, 0n, 1, 9, { usedAt: START + 5, rule: ruleOf(days) }),
        took(1n, 0n, 3, 7, { usedAt: START + 9, rule: ruleOf(days) }),
      ],
      { value: 6, ts: START, usedAt: START + 9 },
      days,
    ],
    [
      "a credit, cut at the capacity of its own rule",
      [took(3n, 0n, 1, 9, other), took(2n, 0n, -4, 10), took(1n, 0n, 2, 8)],
      { value: 9 },
    ],
    [
      "grants by another rule, which leave no debt",
      [took(2n, 0n, 15, 5, other), took(1n, 0n, 8, 12, other)],
      { value: 0 },
    ],
    [
      "a charge by another rule, which leaves its own debt",
      [took(2n, 0n, 15, -5, other), took(1n, 0n, 8, 2)],
      { value: -5 },
    ],
    [
      "a debt that a grant by another rule does not deepen",
      [took(2n, 0n, 1, 9, other), took(1n, 0n, 15, -5)],
      { value: -5 },
    ],
  ])("leaves the state of %s", (_claim, met, expected, reader = limit) => {
    expect(rowOf(reader, met)).toMatchObject(expected);
  });

  test("is repaid under another rule when each debit is repaid by its own", () => {
    const met = [
      took(2n, 0n, 1, 9, { ...other, fullAt: START + 50 * SECOND }),
      took(1n, 0n, 1, 9),
    ];
    expect(rowOf(limit, met)?.fullAt).toBe(START + 51 * SECOND);
  });

  describe.each([
    ["day", "Europe/Berlin", "2026-03-29T12:00Z"],
    ["day", "Antarctica/Casey", "2010-03-04T12:00Z"],
    ["month", "UTC", "2026-02-01T00:00Z"],
    ["year", "UTC", "2023-01-01T00:00Z"],
  ] as const)("in a short %s in %s", (period, timeZone, time) => {
    const config: StoredConfig = {
      kind: "fixed window",
      rate: 100,
      capacity: 500,
      period: PERIOD_MS[period],
      calendar: { period, timeZone },
    };
    const limit = toLimit("limit", config);
    const { whole } = limit;
    const ts = whole.refill.startAt(Date.parse(time));
    const tookOne = (at: bigint): Debit => {
      const after = stored(limit, { value: 400, ts }, ts);
      return { at, seen: 0n, count: 100, rule: ruleOf(limit), ...after };
    };
    const fiveAtOnce = [5n, 4n, 3n, 2n, 1n].map(tookOne);
    const fullAt = whole.refill.when(ts, 500, 100);
    const nextAt = whole.refill.when(ts, 1, 1);

    test("is repaid window by window, if its debits are concurrent", () => {
      const state = rowOf(limit, fiveAtOnce)!;
      expect(state).toMatchObject({ value: 0, ts, nextAt });
      expect(timeWhenFull(whole, state)).toBe(fullAt);
      expect(state.fullAt).toBe(fullAtByDebits(fiveAtOnce));
    });

    test("is repaid by the time that fullAtByDebits tells", () => {
      expect(fullAtByDebits(fiveAtOnce)).toBeGreaterThanOrEqual(fullAt);
      expect(fullAtByDebits([tookOne(1n)])).toBe(tookOne(1n).fullAt);
      const other = toLimit("limit", { ...config, capacity: 400 });
      const { fullAt: paidFor = 0 } = rowOf(other, fiveAtOnce)!;
      expect(paidFor).toBeGreaterThanOrEqual(fullAt);
    });
  });

  test("is repaid by the slower of two rules of concurrent debits", () => {
    const plan = { rate: 1, period: 1000, capacity: 2 };
    const quick = toLimit("limit", { kind: "token bucket", ...plan });
    const daily = toLimit("limit", {
      ...plan,
      kind: "fixed window",
      period: PERIOD_MS.day,
      start: 0,
    });
    const debit = (at: bigint, limit: Limit, count: number): Debit => {
      const state = { value: 2 - count, ts: limit.whole.refill.startAt(0) };
      const left = stored(limit, state, 0);
      return { at, seen: 0n, count, rule: ruleOf(limit), ...left };
    };
    const read = [debit(2n, daily, 1), debit(1n, quick, 5)];
    for (const debits of [read, read.toReversed()]) {
      const row = rowOf(daily, debits)!;
      expect(row.fullAt).toBeGreaterThanOrEqual(timeWhenFull(daily.whole, row));
    }
    expect(rowOf(daily, read)).toMatchObject({ value: -4 });
    expect(fullAtByDebits(read)).toBe(6 * PERIOD_MS.day);
  });

  describe("of days in two zones", () => {
    const limitIn = (timeZone: string) =>
      toLimit("limit", {
        kind: "fixed window",
        rate: 1,
        period: PERIOD_MS.day,
        calendar: { period: "day", timeZone },
      });
    const [utc, havana] = [limitIn("UTC"), limitIn("America/Havana")];
    const now = Date.parse("2026-01-09T02:46Z");
    const [utcMidnight, havanaMidnight] = [
      Date.parse("2026-01-10T00:00Z"),
      Date.parse("2026-01-09T05:00Z"),
    ];

    const record = (at: bigint, limit: Limit, value: number): Debit => {
      const ts = limit.whole.refill.startAt(now);
      const left = stored(limit, { value, ts }, now);
      const reset = value === 1 ? true : undefined;
      const rule = ruleOf(limit);
      return { at, seen: 0n, count: 1 - value, reset, rule, ...left };
    };

    test.each([
      [
        "gains tokens when the window of a debit ends, not that of a concurrent reset",
        [record(2n, havana, 0), record(1n, utc, 1)],
        havanaMidnight,
      ],
      [
        "gains tokens when the window of the first of two debits ends: UTC",
        [record(2n, havana, 0), record(1n, utc, 0)],
        utcMidnight,
      ],
      [
        "gains tokens when the window of the first of two debits ends: Havana",
        [record(2n, utc, 0), record(1n, havana, 0)],
        havanaMidnight,
      ],
    ])("%s", (_claim, met, midnight) => {
      for (const limit of [utc, havana]) {
        const state = rowOf(limit, met)!;
        const at = (time: number) => project(limit.whole, state, time).value;
        expect(at(midnight - 1)).toBeLessThan(1);
        expect(at(midnight)).toBe(at(midnight - 1) + 1);
      }
    });
  });

  test.each<[string, boolean, Partial<RateLimitConfig>]>([
    ["no change", false, {}],
    ["another rate", true, { rate: 11 }],
    ["another period", true, { period: 11 * SECOND }],
    ["another capacity", true, { capacity: 11 }],
    ["another kind", true, { kind: "fixed window" }],
    ["another maxReserved", false, { maxReserved: 5 }],
  ])("has debits of another rule after %s: %s", (_, isOther, more) => {
    const now = toLimit("limit", { ...config, ...more } as RateLimitConfig);
    expect(isOfOtherRule(now, took(1n, 0n, 3, 7))).toBe(isOther);
  });
});

/** Tests a claim by `check` after each step of random runs. `Setting` is drawn once for each run. */
function always<Setting>(
  claim: string,
  [aSetting, steps]: [fc.Arbitrary<Setting>, fc.Arbitrary<Step[]>],
  check: (now: World, setting: Setting) => Promise<void>,
  start = (setting: Setting) =>
    new World(toLimit("limit", setting as RateLimitConfig)),
): void {
  test(claim, patience, async () => {
    const property = fc.asyncProperty(aSetting, steps, (setting, steps) =>
      start(setting)
        .run(steps, (now) => check(now, setting))
        .then(() => undefined),
    );
    await fc.assert(property, runs(250));
  });
}

describe("whatever commits concurrently or is deleted", () => {
  const anything = someSteps(anyVerb, anyMove);

  always(
    "a reader's balance is never above a replay of every visible record",
    [aConfig, anything],
    async (now, config) => {
      const log = now.seen(true).reverse();
      const most = replayed(config, log, now.latest());
      expect(await now.balance()).toBeLessThanOrEqual(most + 1e-9);
    },
  );

  const config = { kind: "token bucket", rate: 1, period: 1024 } as const;
  // At one moment, and with a debt that no credit pays: nothing is cut off at the capacity.
  const charge: Verb = { kind: "charge", count: 10_000 };
  const inDebt = someSteps(
    anyVerb.filter(({ kind }) => kind !== "reset"),
    fc.constant(0),
  ).map((steps): Step[] => [
    { verb: "begin", move: 0, verbs: [charge] },
    { verb: "commit", which: 0 },
    { verb: "show", count: 1 },
    ...steps,
  ]);

  always(
    "every record counts exactly once",
    [fc.constant({ ...config, capacity: 8 }), inDebt],
    async (now) => {
      const sum = now.seen(true).reduce((a, { count }) => a + count, 0);
      expect(await now.balance()).toBe(8 - sum);
    },
  );

  always(
    "records up to the largest seen can be deleted at any time",
    [aConfig, anything],
    async (now) => expect(await now.state()).toEqual(await now.state(true)),
  );

  always(
    "a reader meets only the records above the largest seen",
    [aConfig, someSteps(anyVerb, forward)],
    async (now) => {
      const seen = now.seen();
      const most = seen.reduce((a, one) => max(a, one.seen), 0n);
      expect(await meet(seen)).toEqual(seen.filter(({ at }) => at > most));
    },
  );

  always(
    "a limit is full when all records that a reader meets are repaid",
    [aConfig, anything],
    async (now, config) => {
      const met = await meet(now.seen());
      if (met.length === 0) return;
      const held = replayed(
        config,
        now.seen(true).reverse(),
        fullAtByDebits(met),
      );
      expect(held).toBeCloseTo(now.limit.whole.capacity, 9);
    },
  );
});

test(
  "serial transactions read at most one record, and hold what a replay holds",
  patience,
  async () => {
    const aSerial = fc.array(
      fc.record({ move: anyMove, verbs: fc.array(anyVerb, { maxLength: 3 }) }),
      { maxLength: 20 },
    );
    await fc.assert(
      fc.asyncProperty(aConfig, aSerial, async (config, transactions) => {
        const world = new World(toLimit("limit", config));
        for (const { move, verbs } of transactions) {
          await world.run([{ verb: "begin", move, verbs }]);
          await world.finish();
          expect((await meet(world.seen())).length).toBeLessThanOrEqual(1);
          const log = world.seen(true).reverse();
          const held = replayed(config, log, world.latest());
          expect(await world.balance()).toBeCloseTo(held, 9);
        }
      }),
      runs(250),
    );
  },
);

describe("after a change of the rule", () => {
  const aChange = fc.record({ old: aConfig, config: aConfig });
  type Change = { old: RateLimitConfig; config: RateLimitConfig };
  const underOld = ({ old }: Change) => new World(toLimit("limit", old));
  /** The new rule is so much slower that no record fits both. */
  const aBrake = aChange.map(({ old, config }): Change => ({
    old,
    config: { ...config, period: 100_000 },
  }));

  always(
    "earlier grants may empty the limit, but never put it into debt",
    [aBrake, someSteps(aTake, forward)],
    async (now, { config }) => {
      const met = await meet(now.seen());
      const limit = toLimit("limit", config);
      // Unless the old rule itself would say so: that much is owed.
      const owed = Math.min(0, ...met.map(({ value }) => value));
      const state = rowOf(limit, met);
      const { value } = project(limit.whole, state, now.latest());
      expect(value).toBeGreaterThanOrEqual(owed);
      expect(value).toBeLessThanOrEqual(limit.whole.capacity);
    },
    underOld,
  );

  always(
    "the state does not depend on the reader's rule, unless records met a debt",
    [aChange, someSteps(anyVerb, forward)],
    async (now, { old, config }) => {
      const met = await meet(now.seen());
      const [left, ...before] = met.map((_, i) =>
        rowOf(toLimit("limit", old), met.slice(i)),
      );
      const isInDebt = [...met, left, ...before].some(
        (one) => one !== undefined && one.value < 0,
      );
      if (isInDebt) return;
      expect(rowOf(toLimit("limit", config), met)).toEqual(left);
    },
    underOld,
  );
});
