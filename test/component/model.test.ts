import { RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { aKind, optional, quarters } from "../arbitraries.js";
import { Model, type ModelAnswer } from "../model.js";
import {
  components,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../host.js";
import { timeWhenFull } from "../../src/core/bucket.js";
import { parseLimit } from "../../src/core/limit.js";
import { rulesOf } from "../../src/core/rules.js";
import { decideAlone } from "../decideAlone.js";
import type { Row } from "../../src/core/rows.js";

useStillClock();

const aConfig = (
  kind: RateLimitConfig["kind"],
  mostCapacity = 20,
): fc.Arbitrary<RateLimitConfig> =>
  fc
    .record({
      rate: quarters(1, 12).map((rate) => Math.max(0.25, rate)),
      period: fc.constantFrom(1, 4, 10, 100, 1000, 60_000),
      capacity: optional(quarters(0, mostCapacity)),
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

type Answer = { ok: boolean; retryAfter?: number | undefined };

/** The model of one limit, whose config may change from call to call. */
class OneRow {
  private model: Model | undefined;

  ask({ now, count, reserve, config }: Ask): ModelAnswer {
    const model = new Model(config);
    if (this.model !== undefined) model.restore(this.model);
    this.model = model;
    return model.ask({ count, reserve }, now);
  }

  reset(): void {
    this.model = undefined;
  }
}

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

const someSteps = (configs: number, maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      move: aMove,
      count: aCount,
      reserve: fc.boolean(),
      config: fc.nat({ max: configs - 1 }),
      reset: fc.nat({ max: 19 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength },
  );

/** A life of one limit: its configs, and what is asked of it when. */
const aLife = (maxSteps: number) =>
  aKind.chain((kind) =>
    fc.array(aConfig(kind), { minLength: 1, maxLength: 3 }).chain((configs) =>
      fc.record({
        configs: fc.constant(configs),
        steps: someSteps(configs.length, maxSteps),
      }),
    ),
  );

/** Puts each step to a limit, on the clock that the steps move. */
async function live(
  { configs, steps }: { configs: RateLimitConfig[]; steps: Step[] },
  limit: {
    ask: (request: Ask) => Promise<Answer> | Answer;
    reset: () => Promise<unknown> | void;
  },
) {
  let now = MIDNIGHT;
  let retryAfter = 0;
  for (const { move, count, reserve, config, reset } of steps) {
    if (typeof move === "number") now += move;
    else now += Math.max(0, retryAfter - (move === "just before" ? 1 : 0));
    vi.setSystemTime(now);
    if (reset) await limit.reset();
    const request = { now, count, reserve, config: configs[config]! };
    if (isHopeless(request)) continue;
    ({ retryAfter = 0 } = await limit.ask(request));
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
  const rules = rulesOf("modelled", undefined, config, undefined, now);
  const debt = reserve ? "reserve" : "none";
  return decideAlone(
    rules,
    rows,
    [{ count, debt, leave: 0, upTo: false }],
    now,
  );
}

/** A limit of an app, through the client and the component. */
function startApp() {
  const t = startHost();
  const limiter = new RateLimiter(components.rateLimiter);
  return {
    t,
    limiter,
    ask: async ({ count, reserve, config }: Ask): Promise<Answer> => {
      const before = JSON.stringify(await storedRows(t));
      const answer = await t.mutation((ctx) =>
        limiter.limit(ctx, "modelled", { count, reserve, config }),
      );
      if (!answer.ok) {
        const after = JSON.stringify(await storedRows(t));
        expect(after, "a denial writes nothing").toBe(before);
      }
      return answer;
    },
    reset: () => t.mutation((ctx) => limiter.reset(ctx, "modelled")),
  };
}

/**
 * Asks for `count`, or if that is granted for the whole capacity, after `pause` ms.
 * Denied, it is denied until 1 ms before `retryAfter`, and granted at that time.
 */
async function expectExactWait(
  { ask }: ReturnType<typeof startApp>,
  config: RateLimitConfig,
  count: number,
  pause: number,
) {
  const { capacity = config.rate } = config;
  for (const wanted of [Math.min(count, capacity), capacity]) {
    vi.setSystemTime(Date.now() + pause);
    const tryIt = () =>
      ask({ now: Date.now(), count: wanted, reserve: false, config });
    const first = await tryIt();
    if (first.ok) continue;
    const grantedAt = Date.now() + first.retryAfter!;
    vi.setSystemTime(grantedAt - 1);
    expect(await tryIt()).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(grantedAt);
    expect(await tryIt()).toEqual({ ok: true });
    return;
  }
}

describe("one row", () => {
  test("the core answers as a replay of everything that it granted", async () => {
    await fc.assert(
      fc.asyncProperty(aLife(30), async (life) => {
        const model = new OneRow();
        let rows: Row[] = [];
        await live(life, {
          reset: () => {
            model.reset();
            rows = [];
          },
          ask: (request) => {
            const decision = decideInCore(request, rows);
            if (decision.ok && decision.writes.length > 0) {
              rows = decision.writes;
            }
            const { ok, retryAfter } = decision;
            expect({ ok, retryAfter }).toEqual(model.ask(request));
            return { ok, retryAfter };
          },
        });
      }),
      { numRuns: 200 },
    );
  });

  test("the component answers as a replay of everything that it granted, and a denial writes nothing", async () => {
    await fc.assert(
      fc.asyncProperty(aLife(12), async (life) => {
        const model = new OneRow();
        const app = startApp();
        await live(life, {
          reset: async () => {
            model.reset();
            await app.reset();
          },
          ask: async (request) => {
            const answer = await app.ask(request);
            expect(answer).toEqual(model.ask(request));
            return answer;
          },
        });
      }),
      { numRuns: 15 },
    );
  });
});

describe("found by these properties", () => {
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

describe("one to twenty rows", () => {
  const shards = fc.integer({ min: 1, max: 20 });
  const noReset = (steps: Step[]) =>
    steps.map((step) => ({ ...step, reset: false }));

  /** A limit that is split, and stays as it is. */
  const aSplitLife = (maxSteps: number) =>
    fc
      .record({
        config: aKind.chain((kind) => aConfig(kind, 60)),
        shards,
        steps: someSteps(1, maxSteps),
      })
      .map(({ config, shards, steps }) => ({
        configs: [{ ...config, shards }],
        steps: noReset(steps),
      }));

  /**
   * No clock that runs backwards, and no reservation: a row in debt beside others that
   * hold tokens makes the answer depend on which row is met first.
   */
  const plain = (steps: Step[]) =>
    steps.map((step) => ({
      ...step,
      reserve: false,
      move: typeof step.move === "number" ? Math.abs(step.move) : step.move,
    }));

  test("whatever the clock does, no stretch of time sees more granted than capacity, debt and refill allow", async () => {
    await fc.assert(
      fc.asyncProperty(aSplitLife(15), async (life) => {
        const app = startApp();
        const grants: Ask[] = [];
        await live(life, {
          ...app,
          ask: async (request) => {
            const answer = await app.ask(request);
            if (answer.ok) grants.push(request);
            return answer;
          },
        });
        const [config] = life.configs;
        for (let first = 0; first < grants.length; first++) {
          for (let last = first; last < grants.length; last++) {
            const stretch = grants.slice(first, last + 1);
            const taken = stretch.reduce((sum, { count }) => sum + count, 0);
            expect(taken).toBeLessThanOrEqual(mostGranted(config!, stretch));
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test("what they grant, one row would have granted", async () => {
    await fc.assert(
      fc.asyncProperty(aSplitLife(15), async ({ configs, steps }) => {
        const app = startApp();
        const model = new OneRow();
        await live(
          { configs, steps: plain(steps) },
          {
            ...app,
            ask: async (request) => {
              const answer = await app.ask(request);
              if (answer.ok) expect(model.ask(request)).toEqual({ ok: true });
              return answer;
            },
          },
        );
      }),
      { numRuns: 15 },
    );
  });

  test("quiet, they deny until 1 ms before retryAfter, and grant then", async () => {
    await fc.assert(
      fc.asyncProperty(
        aSplitLife(10),
        aCount,
        async ({ configs: [config], steps }, count) => {
          // Refilled more slowly than asked: quiet however often it is written.
          const slow = { ...config!, period: 60_000 };
          const app = startApp();
          await live({ configs: [slow], steps: plain(steps) }, app);
          await expectExactWait(app, slow, count, 0);
        },
      ),
      { numRuns: 15 },
    );
  });

  test("a second after the last write, they deny until 1 ms before retryAfter, and grant then", async () => {
    await fc.assert(
      fc.asyncProperty(
        aSplitLife(10),
        aCount,
        async ({ configs: [config], steps }, count) => {
          const app = startApp();
          await live({ configs: [config!], steps: plain(steps) }, app);
          await expectExactWait(app, config!, count, 1000);
        },
      ),
      { numRuns: 15 },
    );
  });

  test("reset, they hold the whole capacity and no more", async () => {
    await fc.assert(
      fc.asyncProperty(aSplitLife(8), async ({ configs, steps }) => {
        const [config] = configs;
        const { capacity = config!.rate } = config!;
        const app = startApp();
        await live({ configs, steps }, app);
        await app.reset();
        expect(await storedRows(app.t)).toEqual([]);
        const ask = { now: Date.now(), reserve: false, config: config! };
        expect(await app.ask({ ...ask, count: capacity })).toEqual({
          ok: true,
        });
        if (capacity < 1) return;
        expect(await app.ask({ ...ask, count: 1 })).toMatchObject({
          ok: false,
        });
      }),
      { numRuns: 20 },
    );
  });

  /**
   * A changed number brings rows that have never been used, and are full; it can do so
   * once for each number that is new.
   */
  test("another number of shards adds at most one capacity", async () => {
    await fc.assert(
      fc.asyncProperty(
        aSplitLife(12),
        shards,
        fc.nat({ max: 12 }),
        async ({ configs: [config], steps }, others, changeAt) => {
          const app = startApp();
          const grants: Ask[] = [];
          const life = {
            configs: [config!, { ...config!, shards: others }],
            steps: steps.map((step, i) => ({
              ...step,
              config: i < changeAt ? 0 : 1,
            })),
          };
          await live(life, {
            ...app,
            ask: async (request) => {
              const answer = await app.ask(request);
              if (answer.ok) grants.push(request);
              return answer;
            },
          });
          if (grants.length === 0) return;
          const taken = grants.reduce((sum, { count }) => sum + count, 0);
          const { capacity = config!.rate } = config!;
          expect(taken).toBeLessThanOrEqual(
            mostGranted(config!, grants) + capacity,
          );
        },
      ),
      { numRuns: 20 },
    );
  });
});

/** The most that a limit may have granted over a stretch of grants. */
function mostGranted(config: RateLimitConfig, stretch: Ask[]): number {
  const times = stretch.map(({ now }) => now);
  const from = Math.min(...times);
  const to = Math.max(...times);
  const { rate, period, capacity = rate, maxReserved = Infinity } = config;
  const debt = stretch.some(({ reserve }) => reserve) ? maxReserved : 0;
  const windowsBy = (time: number) =>
    Math.floor((time - config.start!) / period);
  const refill =
    config.kind === "token bucket"
      ? ((to - from) * rate) / period
      : (windowsBy(to) - windowsBy(from)) * rate;
  return capacity + debt + refill + 1e-6 * stretch.length;
}
