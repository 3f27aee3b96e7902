import fc from "fast-check";
import { expect, test } from "vitest";
import type {
  CalendarWindowConfig,
  RateLimitConfig,
} from "convex-rate-limiter";
import { toStored } from "../../src/core/config.js";
import { decide } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import { ruleOf } from "../../src/core/limit.js";
import { DAY, HOUR } from "../../src/core/periods.js";
import { phasesOf } from "../../src/core/phases.js";
import {
  afterWrites,
  allBalances,
  type Row,
  total,
} from "../../src/core/rows.js";
import type {
  ConfigOverride,
  TimedOverride,
} from "../../src/core/validators.js";
import { optional } from "../support/arbitraries.js";
import { MIDNIGHT } from "../support/host.js";
import { openLimitOf } from "../support/memoryLedger.js";
import { runs, seedRandom } from "../support/seed.js";

/** A config, except for how it is split. */
type Kind = RateLimitConfig | CalendarWindowConfig;

const bucket = (rate: number, period = DAY, capacity = rate): Kind => ({
  kind: "token bucket",
  rate,
  period,
  capacity,
});

const window = (rate: number, period = DAY, start = 0): Kind => ({
  kind: "fixed window",
  rate,
  period,
  start,
});

const of = (period: "day" | "month", timeZone = "Asia/Kolkata"): Kind => ({
  kind: "fixed window",
  rate: 24,
  period,
  timeZone,
});

/** The configs that deploys switch between, in any order. */
const families: Kind[][] = [
  [bucket(24), bucket(240), bucket(24, HOUR), bucket(24, DAY, 100)],
  [window(24), window(48), window(24, 5 * HOUR), window(24, DAY, 7 * HOUR)],
  [window(24), bucket(24), bucket(24, HOUR), window(12, 7 * HOUR, 3)],
  [of("day", "UTC"), of("day"), of("month"), window(24), bucket(24, HOUR)],
];

/** What overrides change; undefined clears them. */
const overrides: (ConfigOverride | undefined)[] = [
  undefined,
  { capacity: 12 },
  { capacity: 48 },
  { rate: 240 },
  { rate: 2 },
];

const hours = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 13 }) },
  { weight: 1, arbitrary: fc.integer({ min: 13, max: 1000 }) },
);

const aStep = fc.record({
  after: hours,
  deploy: optional(fc.nat(4)),
  override: optional(
    fc.record({
      which: fc.nat(overrides.length - 1),
      lasts: optional(fc.integer({ min: 1, max: 60 })),
    }),
  ),
  count: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(24)),
  split: fc.nat(8),
});

// The oracle is one row under the same deploys and overrides. It is charged for each grant and
// decides nothing: it knows only the most that the split limit may hold.
test("a split limit grants what it holds, which is no more than one row would hold", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...families),
      fc.array(fc.constantFrom<number | "auto">(1, 2, 3, 8, "auto", "auto"), {
        minLength: 5,
        maxLength: 5,
      }),
      fc.array(aStep, { minLength: 2, maxLength: 40 }),
      fc.integer(),
      async (kinds, splits, steps, seed) => {
        seedRandom(seed);
        let deploy = 0;
        let ofKey: TimedOverride[] = [];
        let rows: readonly Row[] = [];
        let one: readonly Row[] = [];
        let now = MIDNIGHT;
        for (const { after, count, override, split, ...step } of steps) {
          now += after * HOUR;
          deploy = step.deploy ?? deploy;
          const shards = splits[deploy]!;
          const kind = kinds[deploy % kinds.length]!;
          const configOf = (shards: number | "auto") =>
            toStored({ ...kind, shards }) as RateLimitConfig;
          const config = overrides[override?.which ?? 0];
          if (override !== undefined && config === undefined) ofKey = [];
          if (override !== undefined && config !== undefined) {
            const { lasts } = override;
            const expiresAt = lasts && now + lasts * HOUR;
            ofKey = [{ override: { config }, expiresAt, startsAt: now }];
          }
          const phases = phasesOf("api", undefined, configOf(1), ofKey, now);
          const opened = openLimitOf(configOf(shards), rows, {
            now,
            overrides: ofKey,
          });
          const most = total(allBalances(phases[0].limit, one, now));
          const [{ limit }] = opened.phases;
          const held = total(allBalances(limit, rows, now));
          expect(held).toBeLessThanOrEqual(most + 1e-6);

          const ask: Demand = { count, debt: "none", leave: 0, upTo: false };
          const decision = await opened.ledger.decide([ask], Math.random);
          expect(decision.ok).toBe(held >= count - 1e-6);
          if (!decision.ok) continue;
          const { writes } = decision;
          const rule = ruleOf(limit);
          rows = afterWrites(opened.asStored, writes).map((row) =>
            shards === "auto" &&
            split > 1 &&
            row.shard === 0 &&
            writes.includes(row)
              ? {
                  ...row,
                  into: split,
                  rule: row.shard === 0 ? rule : undefined,
                }
              : row,
          );
          const left = total(allBalances(limit, rows, now));
          expect(left).toBeCloseTo(held - count, 5);
          const taken = decide(phases, one, [{ ...ask, debt: "any" }], now);
          if (!taken.ok) throw new Error("A charge was denied.");
          // A key is in use as long as one of its rows is.
          const fullAt = Math.max(...rows.map((row) => row.fullAt!));
          one = taken.writes.map((row) => ({ ...row, fullAt }));
        }
      },
    ),
    runs(400),
  );
});
