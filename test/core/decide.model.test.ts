import { isExceedsCapacityError } from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { grantUnlimited } from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import { phasesOf, type Phases } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";
import type { Row } from "../../src/core/view.js";
import { OneRow } from "../../src/state/one/one.js";
import { timeUntilFull, timeUntilGranted } from "../../src/core/wait.js";
import {
  aKind,
  optional,
  quarters,
  rarely,
  step,
} from "../support/arbitraries.js";
import { decideAlone } from "../support/decideAlone.js";
import { demandFor } from "../support/demands.js";
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
    maxDebt: optional(quarters(0, 15)),
    enforce: fc.constantFrom(true, true, true, false),
    start: fc.oneof(
      fc.integer({ min: -70_000, max: 2 * MIDNIGHT }),
      fc.constant<"first use">("first use"),
    ),
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

const demandOf = ({ reserve, count, leave = 0, upTo = false }: AnyAsk) => {
  const debt = reserve && leave === 0 ? "reserve" : "none";
  return demandFor(count, { debt, leave, upTo });
};

/** Decides and takes, as a verb does. In the terms of a model. */
async function planOf(
  state: OneRow,
  phases: Phases,
  demands: readonly Demand[],
  now: number,
): Promise<Plan> {
  const decision =
    phases[0].effect === "unlimited"
      ? grantUnlimited(demands)
      : await state.take(demands);
  if (decision.ok) {
    const { taken, retryAfter, letThrough, writes } = decision;
    state.put(writes);
    return { ok: true, taken, retryAfter, wouldDeny: letThrough && true };
  }
  const [refused] = decision.refused as [number];
  const waiting = { phases, demands, forecast: decision.forecast };
  try {
    const retryAfter = timeUntilGranted([waiting], now);
    return { ok: false, refused, retryAfter };
  } catch (error) {
    if (!isExceedsCapacityError(error)) throw error;
    return "exceeds";
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
async function expectReplayed(life: Life): Promise<void> {
  const { configs, overrides, steps } = life;
  const ofKey = overridesOf(overrides, true);
  const ofLimit = overridesOf(overrides, false);
  const stored = [...ofKey.stored, ...ofLimit.stored];
  let now = MIDNIGHT;
  let retryAfter = 0;
  let row: Row | undefined;
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
    const target = { name: "modelled", key: "k", config };
    const isReset = call.verb === "reset";
    const state = new OneRow(target, phases, now, isReset ? {} : { row });
    const take = (...demands: Demand[]) => planOf(state, phases, demands, now);
    if (isReset) model.reset();
    else if (call.verb === "credit") {
      const { credited, writes } = await state.give(call.count);
      state.put(writes);
      expect(credited).toBeCloseTo(model.credit(call.count, now), 9);
    } else if (call.verb === "charge") {
      const demand = demandFor(call.count, { debt: "any" });
      const taken = model.chargeable(call.count, now);
      const charged = model.charge(taken, now);
      const answer = await take(demand);
      expect(answer).toMatchObject({ ok: true, ...charged });
      if (effect !== "unlimited")
        expect(answer).toMatchObject({ taken: [expect.closeTo(taken, 9)] });
    } else {
      const asks: readonly AnyAsk[] = call.asks;
      const plan = model.plan(asks, now);
      model.follow(plan, now);
      expect(await take(...asks.map(demandOf))).toEqual(plan);
      if (plan !== "exceeds") retryAfter = plan.retryAfter ?? 0;
    }
    [row] = await state.rows();
    const view = await state.view();
    expect(timeUntilFull(phases, view, now)).toBe(model.fullAfter(now));
    if (effect !== "limited") continue;
    expect(view.balance(limit, now)).toBeCloseTo(model.balance(now), 9);
  }
}

test("every call on one row is answered as the model says, under any overrides to come", async () => {
  await fc.assert(fc.asyncProperty(aLife, expectReplayed), runs(200));
});

// A random run found this.
test("a wait ends when the key is idle, if the limit has become slower", () => {
  const fullAt = MIDNIGHT + 30_000;
  const rows = [{ shard: 0, value: 0, ts: MIDNIGHT, fullAt }];
  const config = { kind: "token bucket", rate: 1, period: 60_000 } as const;
  const slow = { ...config, capacity: 100 };
  const phases = phasesOf("modelled", undefined, slow, [], MIDNIGHT);
  const denied = decideAlone(phases, rows, [demandFor(100)], MIDNIGHT);
  expect(denied).toMatchObject({ ok: false, retryAfter: 3_630_000 });
});
