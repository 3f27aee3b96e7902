import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { decideOn } from "../../src/component/calls/decideOn.js";
import { toStored } from "../../src/core/config.js";
import { decide } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/grant.js";
import { DAY, HOUR } from "../../src/core/periods.js";
import type { Row } from "../../src/core/row.js";
import { afterWrites, holdings, total } from "../../src/core/rows.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/vOverride.js";
import type {
  CalendarWindowConfig,
  LimitConfig,
  RateLimitConfig,
} from "convex-rate-limiter";
import {
  balanceOf,
  deployed,
  drain,
  startApp,
  type App,
} from "../corners/app.js";
import { MIDNIGHT, useStillClock } from "../host.js";
import { openLimitOf } from "../memoryLedger.js";
import { runs, seedRandom } from "../seed.js";

/*
 * The windows of all rows of a limit are on one grid, as those of one row are, whatever a deploy
 * or an override changes while the key is in use.
 */

useStillClock();

const inRows = { rate: 20, shards: 10 };
const daily = {
  kind: "fixed window",
  period: DAY,
  start: 0,
  ...inRows,
} as const;
const byDay = { kind: "fixed window", period: "day", ...inRows } as const;
const byMonth = { ...byDay, period: "month" } as const;

const wait = (ms: number) => void vi.setSystemTime(Date.now() + ms);

describe("a key in use keeps its windows in all of its rows, as one row does", () => {
  test.each<[string, LimitConfig, LimitConfig, untilNext: number]>([
    ["when start moves", daily, { ...daily, start: 12 * HOUR }, DAY],
    ["when a plain day becomes one of the calendar", daily, byDay, DAY],
    ["when a day becomes a month", byDay, byMonth, DAY],
    ["when a month becomes a day", byMonth, byDay, 31 * DAY],
    ["when a month becomes a plain day", byMonth, daily, DAY],
  ])("%s", async (_, before, after, untilNext) => {
    wait(HOUR);
    const { t, limit } = startApp({ api: before });
    await limit("api");
    const app = deployed(t, { api: after });
    vi.setSystemTime(MIDNIGHT + untilNext - 1);
    expect(await drain(app, "api")).toBe(19);
    wait(1);
    expect(await drain(app, "api")).toBe(20);
  });

  test("rows that are full take them, too, and once the key is full it has the new ones", async () => {
    const { t, limit } = startApp({ api: { ...daily, shards: 2 } });
    seedRandom(1);
    // Both rows are stored, and full from midnight on.
    for (let i = 0; i < 20; i++) await limit("api");
    wait(DAY + HOUR);
    await limit("api");
    const moved = { ...daily, start: 12 * HOUR, shards: 2 };
    const app = deployed(t, { api: moved });
    wait(10 * HOUR);
    expect(await drain(app, "api")).toBe(19);
    wait(2 * HOUR);
    expect(await drain(app, "api")).toBe(0);
    wait(11 * HOUR);
    expect(await drain(app, "api")).toBe(20);
    // Full at midnight, it begins in the window of noon.
    wait(DAY);
    expect(await drain(app, "api")).toBe(20);
    wait(12 * HOUR);
    expect(await drain(app, "api")).toBe(20);
  });
});

describe("a raised capacity adds no tokens to rows that were full while another was in use", () => {
  const raise = ({ setOverride }: App, capacity: number) =>
    setOverride("api", { config: { capacity } });

  test("nor brings back a refill of the calendar that found no room", async () => {
    const overrides = true;
    const app = startApp({ api: { ...byDay, overrides } });
    for (let i = 0; i < 12; i++) await app.limit("api");
    wait(DAY);
    for (let i = 0; i < 2; i++) await app.limit("api");
    await raise(app, 40);
    expect(await balanceOf(app, "api")).toBeCloseTo(18, 6);
    expect(await drain(app, "api")).toBe(18);
    wait(DAY);
    expect(await drain(app, "api")).toBe(20);
  });

  test("nor does it lose when the next tokens of absent rows are due", async () => {
    const api = { kind: "fixed window", rate: 4, shards: 2 } as const;
    const overrides = true;
    const { t, limit } = startApp({ api: { ...api, period: "month" } });
    await limit("api");
    const app = deployed(t, { api: { ...api, period: "day", overrides } });
    wait(DAY);
    await raise(app, 20);
    wait(DAY);
    expect(await balanceOf(app, "api")).toBe(3);
    vi.setSystemTime(MIDNIGHT + 31 * DAY);
    expect(await balanceOf(app, "api")).toBe(7);
  });
});

describe("a call reads one row", () => {
  const api = { ...daily, rate: 40, capacity: 40, shards: 4 } as const;
  const ask: Demand = { count: 1, debt: "none", leave: 0, upTo: false };
  const row = (more: Partial<Row>): Row => ({
    shard: 0,
    value: 5,
    ts: MIDNIGHT,
    of: 4,
    usedAt: MIDNIGHT,
    fullAt: MIDNIGHT + DAY,
    ...more,
  });

  test.each<[string, Partial<Row>, string]>([
    ["that is in use", {}, "0"],
    ["in use in other windows than the config's", { ts: MIDNIGHT - HOUR }, "0"],
    [
      "that is full",
      { ts: MIDNIGHT - DAY, usedAt: MIDNIGHT - DAY, fullAt: MIDNIGHT },
      "0",
    ],
    [
      "but looks beside one that is full in other windows",
      { ts: MIDNIGHT - DAY - HOUR, usedAt: MIDNIGHT - DAY, fullAt: MIDNIGHT },
      "0 look",
    ],
    ["and beside one that was a bucket's", { usedAt: undefined }, "0 look"],
  ])("%s", async (_, more, reads) => {
    const account = openLimitOf(api, [row(more)], { now: MIDNIGHT + HOUR });
    await decideOn(account, [ask], () => 0);
    expect(account.ledger.reads).toBe(reads);
  });
});

const KOLKATA = "Asia/Kolkata";

type Windows = RateLimitConfig | CalendarWindowConfig;

const startingAt = (start: number): Windows => ({
  kind: "fixed window",
  rate: 24,
  period: DAY,
  start,
});
const of = (period: "day" | "month", timeZone: string): Windows => ({
  kind: "fixed window",
  rate: 24,
  period,
  timeZone,
});

/*
 * Windows that a deploy may change to each other, and capacities that an override may set. Not both
 * the calendar and the capacity: a row that needs several windows to be full is full by those of
 * its last write at the latest.
 */
const families: {
  kinds: Windows[];
  capacities: (number | undefined)[];
}[] = [
  {
    kinds: [startingAt(0), startingAt(12 * HOUR), startingAt(7 * HOUR)],
    capacities: [undefined, 12, 48],
  },
  {
    kinds: [of("day", "UTC"), of("day", KOLKATA), of("month", KOLKATA)],
    capacities: [undefined],
  },
  { kinds: [of("day", KOLKATA)], capacities: [undefined, 12, 48] },
];

const aStep = fc.record({
  afterHours: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 0, max: 13 }) },
    { weight: 1, arbitrary: fc.integer({ min: 13, max: 1000 }) },
  ),
  isDeploy: fc.boolean(),
  isOverride: fc.boolean(),
  count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(24)),
});

/** What is deployed and overridden, each once, and what is asked in between. */
const someSteps = fc.oneof(
  ...families.map(({ kinds, capacities }) =>
    fc.record({
      kinds: fc.shuffledSubarray(kinds, { minLength: 1 }),
      capacities: fc.shuffledSubarray(capacities),
      steps: fc.array(aStep, { minLength: 2, maxLength: 40 }),
    }),
  ),
);

test("a split limit grants nothing that one row would not, through changes of windows and capacity", async () => {
  await fc.assert(
    fc.asyncProperty(
      someSteps,
      fc.integer({ min: 2, max: 8 }),
      fc.integer(),
      async ({ kinds, capacities, steps }, shards, seed) => {
        seedRandom(seed);
        const deploys = kinds.map((kind) => ({
          config: toStored({ ...kind, shards }),
          alone: toStored({ ...kind, shards: 1 }),
        }));
        let version = deploys.shift()!;
        const changes = [...capacities];
        let overrides: TimedOverride[] = [];
        let rows: Row[] = [];
        let one: Row[] = [];
        let now = MIDNIGHT;
        for (const step of steps) {
          const { afterHours, count } = step;
          now += afterHours * HOUR;
          if (step.isDeploy) version = deploys.shift() ?? version;
          const { config, alone } = version;
          if (step.isOverride && changes.length > 0) {
            const capacity = changes.shift();
            const override = { config: { capacity } };
            overrides = capacity === undefined ? [] : [{ override }];
          }
          const stored = { ofKey: overrides, ofLimit: [] };
          const phases = phasesOf("api", undefined, alone, stored, now);
          const { limit } = phases[0];
          const account = openLimitOf(config, rows, { now, overrides });
          const [held] = holdings(limit, one, now);
          const split = total(holdings(account.phases[0].limit, rows, now));
          expect(split).toBeLessThanOrEqual(held!.value + 1e-6);
          const ask = { count, debt: "none", leave: 0, upTo: false } as const;
          const decision = await decideOn(account, [ask], Math.random);
          if (!decision.ok) continue;
          expect(held!.value).toBeGreaterThanOrEqual(count - 1e-6);
          rows = afterWrites(account.ledger.asStored, decision.writes);
          const taken = decide(phases, one, [{ ...ask, debt: "any" }], now);
          if (!taken.ok) throw new Error("A charge was denied.");
          // A key is in use as long as one of its rows is.
          const fullAt = Math.max(...rows.map((row) => row.fullAt!));
          one = taken.writes.map((row) => ({ ...row, fullAt }));
        }
      },
    ),
    runs(120),
  );
});
