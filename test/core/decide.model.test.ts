import { isExceedsCapacityError } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { creditRows, gatheredIfOwing } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import { phasesOf, type Phases } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";
import { allBalances, type Row, total } from "../../src/core/rows.js";
import { timeUntilFull } from "../../src/core/wait.js";
import {
  aKind,
  optional,
  quarters,
  rarely,
  step,
} from "../support/arbitraries.js";
import { decideAlone } from "../support/decideAlone.js";
import { MIDNIGHT } from "../support/host.js";
import { Model, type AnyAsk, type Plan } from "../support/model.js";
import { runs } from "../support/seed.js";

const aConfig: fc.Arbitrary<RateLimitConfig> = fc
  .record({
    kind: aKind,
    rate: quarters(1, 12),
    period: fc.constantFrom(1, 4, 10, 100, 1000, 60_000),
    capacity: optional(quarters(0, 20)),
    maxReserved: optional(quarters(0, 15)),
    enforce: fc.constantFrom(true, true, true, false),
    start: fc.integer({ min: -70_000, max: 2 * MIDNIGHT }),
  })
  .map(({ kind, start, ...config }) =>
    kind === "token bucket" ? { kind, ...config } : { kind, ...config, start },
  );

const aTime = optional(fc.integer({ min: 1, max: 3000 }));

const anOverride = fc.record({
  change: fc.oneof(
    fc.constantFrom({ deny: true } as const, { unlimited: true } as const, {
      config: { enforce: false },
    }),
    fc.record({ config: fc.record({ capacity: quarters(0, 20) }) }),
    fc.record({ config: fc.record({ rate: quarters(1, 12) }) }),
  ),
  isOfKey: fc.boolean(),
  from: aTime,
  lasts: aTime,
});

const anAsk: fc.Arbitrary<AnyAsk> = fc.record({
  count: fc.oneof(fc.constant(1), quarters(0, 12)),
  reserve: rarely(3),
  leave: fc.constantFrom(undefined, undefined, 0.5, 3),
});

const aWish = anAsk.map((ask) => ({
  ...ask,
  count: Math.max(1, Math.floor(ask.count)),
  reserve: false,
  upTo: true,
}));

const aCount = quarters(0.25, 12);

const aStep = fc.record({
  /** How far the clock moves, backwards too, in ms. */
  move: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 5, arbitrary: fc.constantFrom("the wait", "1 ms less") },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 2000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 300_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -100_000, max: -1 }) },
  ),
  /** Which of the configs is in force from now on. */
  nth: fc.nat({ max: 2 }),
  call: fc.oneof(
    step("ask", 8, { asks: fc.tuple(fc.oneof(anAsk, aWish)) }),
    step("ask", 3, {
      asks: fc.array(anAsk, { minLength: 2, maxLength: 3 }),
    }),
    step("charge", 1, { count: aCount }),
    step("credit", 1, { count: aCount }),
    step("reset", 1),
  ),
});

/** One limit: its configs, its overrides, and a sequence of calls. */
const aLife = fc.record({
  configs: fc.array(aConfig, { minLength: 1, maxLength: 3 }),
  overrides: fc.uniqueArray(anOverride, {
    maxLength: 3,
    selector: ({ isOfKey, lasts }) => `${isOfKey} ${lasts === undefined}`,
  }),
  steps: fc.array(aStep, { minLength: 1, maxLength: 30 }),
});

type Life = typeof aLife extends fc.Arbitrary<infer One> ? One : never;

const demandOf = ({ reserve, count, leave = 0, upTo = false }: AnyAsk) => ({
  debt: reserve && leave === 0 ? ("reserve" as const) : ("none" as const),
  count,
  leave,
  upTo,
});

/** What the core decides on one row, in the terms of a model, and the rows that it writes. */
function decided(
  phases: Phases,
  rows: readonly Row[],
  demands: readonly Demand[],
  now: number,
): { plan: Plan; writes: readonly Row[] } {
  try {
    const decision = decideAlone(phases, rows, demands, now);
    const { retryAfter } = decision;
    if (!decision.ok) {
      const [refused] = decision.refused as [number];
      return {
        plan: { ok: false, refused, retryAfter: retryAfter! },
        writes: [],
      };
    }
    const { taken, writes } = decision;
    const wouldDeny = decision.spared && true;
    return { plan: { ok: true, taken, retryAfter, wouldDeny }, writes };
  } catch (error) {
    if (!isExceedsCapacityError(error)) throw error;
    return { plan: "exceeds", writes: [] };
  }
}

/** The overrides as the core reads them, and as a model does. */
function overridesOf(overrides: Life["overrides"], ofKey: boolean) {
  const own = overrides.filter(({ isOfKey }) => isOfKey === ofKey);
  const all = own.map(({ change, from, lasts }): TimedOverride => {
    const startsAt = from && MIDNIGHT + from;
    const expiresAt = lasts && MIDNIGHT + (from ?? 0) + lasts;
    return { override: change, startsAt, expiresAt };
  });
  const models = all.map(({ startsAt, expiresAt }, i) => ({
    change: own[i]!.change,
    from: startsAt ?? -Infinity,
    to: expiresAt ?? Infinity,
  }));
  // The one with an end lies over the one that lasts.
  const stored = all.sort(
    (a, b) => Number(!a.expiresAt) - Number(!b.expiresAt),
  );
  return { stored, models };
}

/**
 * Takes each step with the core and with a model, on the clock that the steps move. The model keeps
 * one balance in whole units and finds each wait by a search. It knows no rows.
 */
function expectReplayed({ configs, overrides, steps }: Life): void {
  const ofKey = overridesOf(overrides, true);
  const ofLimit = overridesOf(overrides, false);
  const stored = [...ofKey.stored, ...ofLimit.stored];
  let now = MIDNIGHT;
  let retryAfter = 0;
  let rows: readonly Row[] = [];
  let before: Model | undefined;
  for (const { move, nth, call } of steps) {
    if (typeof move === "number") now += move;
    else now += Math.max(0, retryAfter - (move === "the wait" ? 0 : 1));
    const config = configs[nth % configs.length]!;
    const model = new Model(config);
    if (before !== undefined) model.restore(before);
    model.keyOverrides = ofKey.models;
    model.limitOverrides = ofLimit.models;
    before = model;
    const phases = phasesOf("modelled", "k", config, stored, now);
    const [{ effect, limit }] = phases;
    const decide = (demands: Demand[]) => {
      const { plan, writes } = decided(phases, rows, demands, now);
      if (writes.length > 0) rows = writes;
      return plan;
    };
    if (call.verb === "reset") {
      rows = [];
      model.reset();
    } else if (call.verb === "credit") {
      const held = gatheredIfOwing(allBalances(limit, rows, now));
      const { credited, writes } = creditRows(limit, held, call.count, now);
      if (writes.length > 0) rows = writes;
      expect(credited).toBeCloseTo(model.credit(call.count, now), 9);
    } else if (call.verb === "charge") {
      const demand = {
        ...demandOf({ ...call, reserve: false }),
        debt: "any",
      } as const;
      const charged = model.charge(call.count, now);
      expect(decide([demand])).toMatchObject({ ok: true, ...charged });
    } else {
      const asks: readonly AnyAsk[] = call.asks;
      const plan = model.plan(asks, now);
      model.follow(plan, now);
      expect(decide(asks.map(demandOf))).toEqual(plan);
      if (plan !== "exceeds") retryAfter = plan.retryAfter ?? 0;
    }
    expect(timeUntilFull(phases, rows, now)).toBe(model.fullAfter(now));
    if (effect !== "limited") continue;
    const balance = total(allBalances(limit, rows, now));
    expect(balance).toBeCloseTo(model.balance(now), 9);
  }
}

test("every call on one row is answered as the model says, under any overrides to come", () => {
  fc.assert(fc.property(aLife, expectReplayed), runs(200));
});

describe("regressions that random runs found", () => {
  const minute = { kind: "token bucket", period: 60_000 } as const;
  const one = { debt: "none", leave: 0, upTo: false } as const;
  const row = { value: 0, ts: MIDNIGHT, shard: 0 };

  test("a wait ends when the key is idle, if the limit has become slower", () => {
    const rows = [{ ...row, fullAt: MIDNIGHT + 30_000 }];
    const config = { ...minute, rate: 1, capacity: 100 };
    const phases = phasesOf("modelled", undefined, config, [], MIDNIGHT);
    const { plan } = decided(phases, rows, [{ ...one, count: 100 }], MIDNIGHT);
    expect(plan).toEqual({ ok: false, refused: 0, retryAfter: 3_630_000 });
  });
});
