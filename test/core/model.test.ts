import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeWhenFull } from "../../src/core/bucket.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import { parseLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/rows.js";
import { phasesOf } from "../../src/core/phases.js";
import { aKind, optional, quarters } from "../arbitraries.js";
import { decideAlone } from "../decideAlone.js";
import { Model } from "../model.js";
import { runs } from "../seed.js";

const MIDNIGHT = Date.UTC(2026, 0, 1);

const aConfig = (
  kind: RateLimitConfig["kind"],
): fc.Arbitrary<RateLimitConfig> =>
  fc
    .record({
      rate: quarters(1, 12).map((rate) => Math.max(0.25, rate)),
      period: fc.constantFrom(1, 4, 10, 100, 1000, 60_000),
      capacity: optional(quarters(0, 20)),
      maxReserved: optional(quarters(0, 15)),
      start: fc.integer({ min: -70_000, max: 2 * MIDNIGHT }),
    })
    .map(({ start, ...config }) =>
      kind === "token bucket"
        ? { kind, ...config }
        : { kind, ...config, start },
    );

const aCount = fc.oneof(fc.constant(1), quarters(0, 12));

type Ask = {
  now: number;
  count: number;
  reserve: boolean;
  config: RateLimitConfig;
};

type Step = {
  /** How far the clock moves, backwards too, in ms. */
  move: number | "until retryAfter" | "just before";
  count: number;
  reserve: boolean;
  /** Which of the configs is in force from now on. */
  config: number;
  /** Whether the limit is reset before it is asked. */
  reset: boolean;
};

const aMove = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.constant<"until retryAfter">("until retryAfter") },
  { weight: 2, arbitrary: fc.constant<"just before">("just before") },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 2000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 300_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: -100_000, max: -1 }) },
);

const someSteps = (configs: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      move: aMove,
      count: aCount,
      reserve: fc.boolean(),
      config: fc.nat({ max: configs - 1 }),
      reset: fc.nat({ max: 19 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 30 },
  );

type Life = { configs: RateLimitConfig[]; steps: Step[] };

/** Of one limit: its configs, and what is asked of it when. */
const aLife: fc.Arbitrary<Life> = aKind.chain((kind) =>
  fc.array(aConfig(kind), { minLength: 1, maxLength: 3 }).chain((configs) =>
    fc.record({
      configs: fc.constant(configs),
      steps: someSteps(configs.length),
    }),
  ),
);

/** Puts each step to the core and to a model, on the clock that the steps move. */
function expectReplayed({ configs, steps }: Life): void {
  let now = MIDNIGHT;
  let retryAfter = 0;
  let rows: readonly Row[] = [];
  let model: Model | undefined;
  for (const { move, count, reserve, config: nth, reset } of steps) {
    if (typeof move === "number") now += move;
    else now += Math.max(0, retryAfter - (move === "just before" ? 1 : 0));
    if (reset) [rows, model] = [[], undefined];
    const config = configs[nth]!;
    const request = { now, count, reserve, config };
    if (isHopeless(request)) continue;
    const before = model;
    model = new Model(config);
    if (before !== undefined) model.restore(before);
    const decision = decideInCore(request, rows);
    if (decision.ok && decision.writes.length > 0) rows = decision.writes;
    const { ok } = decision;
    expect({ ok, retryAfter: decision.retryAfter }).toEqual(
      model.ask({ count, reserve }, now),
    );
    retryAfter = decision.retryAfter ?? 0;
  }
}

/** Whether a request is refused with an error, for no balance could ever meet it. */
function isHopeless({ count, reserve, config }: Ask): boolean {
  const { capacity = config.rate, maxReserved = Infinity } = config;
  return count > capacity + (reserve ? maxReserved : 0);
}

/** The core's decision on one row. */
function decideInCore(
  { count, reserve, config, now }: Ask,
  rows: readonly Row[],
) {
  const phases = phasesOf("modelled", undefined, config, undefined, now);
  const debt = reserve ? "reserve" : "none";
  return decideAlone(
    phases,
    rows,
    [{ count, debt, leave: 0, upTo: false }],
    now,
  );
}

test("each request to one row is answered as a replay of everything that was granted says", () => {
  fc.assert(fc.property(aLife, expectReplayed), runs(200));
});

describe("found by this property", () => {
  const minute = { kind: "token bucket", period: 60_000 } as const;
  const ask = { now: MIDNIGHT, reserve: false };

  test("a wait ends when the row is full, under the config that it was written with", () => {
    const row = { value: 0, ts: MIDNIGHT, fullAt: MIDNIGHT + 30_000, shard: 0 };
    const config = { ...minute, rate: 1, capacity: 10 };
    expect(decideInCore({ ...ask, count: 10, config }, [row])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 30_000,
    });
  });

  test("reserving nothing from a limit in debt says when the debt is paid", () => {
    const row = { value: -2, ts: MIDNIGHT, shard: 0 };
    const config = { ...minute, rate: 10 };
    const reserving = { ...ask, count: 0, reserve: true, config };
    expect(decideInCore(reserving, [row])).toMatchObject({
      ok: true,
      retryAfter: 12_000,
    });
  });

  test("a row is full at the ms that whole numbers give, whatever the division rounds to", () => {
    const { whole } = parseLimit("modelled", {
      ...minute,
      period: 100,
      rate: 6.25,
      capacity: 18.5,
    });
    expect(timeWhenFull(whole, { value: -8.75, ts: 0 })).toBe(436);
  });
});
