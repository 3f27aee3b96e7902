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

const wait = 0;
void wait;
const b = (rate: number, period = DAY, capacity = rate): Windows =>
  ({ kind: "token bucket", rate, period, capacity }) as never;
const w = (rate: number, period = DAY, start = 0): Windows =>
  ({ kind: "fixed window", rate, period, start }) as never;
type Windows = RateLimitConfig | CalendarWindowConfig;
const families: { kinds: Windows[]; capacities: (number | undefined)[] }[] = [
  {
    kinds: [b(24), b(240), b(24, HOUR), b(24, DAY, 100)],
    capacities: [undefined, 12, 48],
  },
  {
    kinds: [w(24), w(48), w(24, 5 * HOUR), w(24, DAY, 7 * HOUR)],
    capacities: [undefined, 12, 48],
  },
  {
    kinds: [w(24), b(24), b(24, HOUR), w(12, 7 * HOUR, 3)],
    capacities: [undefined, 12, 48],
  },
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
      fc.array(fc.constantFrom<number | "auto">(2, 3, 5, 8, "auto"), {
        minLength: 6,
        maxLength: 6,
      }),
      fc.integer(),
      async ({ kinds, capacities, steps }, splits, seed) => {
        seedRandom(seed);
        const deploys = kinds.map((kind, i) => ({
          config: toStored({ ...kind, shards: splits[i]! } as never),
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
    runs(300),
  );
});
