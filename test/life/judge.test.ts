import { expect, test } from "vitest";
import { live, type Life } from "./life.js";
import { seededRandom } from "../../sim/random.js";
import type { Of, OverrideStep, Step } from "./steps.js";

const LIMIT = {
  kind: "token bucket",
  rate: 1,
  period: 60_000,
  applyUpdates: "asynchronously",
} as const;

/** Of a limit that is split, whose capacity overrides may change. */
const splitOf = (capacity: number, shards: number) =>
  ({
    kind: "token bucket",
    rate: 0.25,
    period: 1000,
    capacity,
    overrides: true,
    shards,
  }) as const;

const of = { name: "async", key: "a" };
const other = { name: "async", key: "b" };
const split = { name: "split", key: "a" };

const BEGIN_MS = 10_000_000;

const HOUR_MS = 60 * 60_000;

const ask = (count: number) => ({ count, reserve: false });

const override = (
  of: Of,
  change: OverrideStep["change"],
  times: { startsIn?: number; lasts?: number } = {},
): Step => ({ verb: "override", ...of, change, ...times });

const mutation = (after: number, ...steps: Step[]) => ({
  after,
  steps,
  throws: false,
});

/** A life without faults, in which all clocks are right. */
const lifeOf = (
  limits: Life["limits"],
  mutations: Life["mutations"],
  more: Partial<Life> = {},
): Life => ({
  limits,
  mutations,
  executionMs: 2,
  jitterMs: 0,
  clockSteps: [],
  faults: {},
  seed: 0,
  ...more,
});

/** From so long after the begin on, clocks are wrong by so much. */
const step = (afterMs: number, errorMs: number) => ({
  at: BEGIN_MS + afterMs,
  errorMs,
});

test.each([-1e-5, 0, 1e-5])(
  "who begins %s ms after a commit becomes visible is judged by what it saw",
  async (laterMs) => {
    const [seed, executionMs] = [1, 10];
    const runs = executionMs * (0.6 + 0.8 * seededRandom(seed, "execution")());
    const [staleQueryMs, visibleAfterMs] = [3, 5];
    const visible = runs + staleQueryMs + visibleAfterMs;
    const life = lifeOf(
      { async: LIMIT },
      [
        mutation(0, { verb: "limit", of, ask: ask(0.25) }),
        mutation(visible + laterMs, { verb: "getValue", of }),
      ],
      { executionMs, seed },
    );
    await expect(live(life)).resolves.toBeUndefined();
  },
);

test("what has arrived stays when clocks step back, also of a dry run that does not tell what it took", async () => {
  const dry = { ...LIMIT, rate: 15, capacity: 1, enforce: false } as const;
  const life = lifeOf(
    { async: dry },
    [
      mutation(0, { verb: "limit", of: other, ask: ask(0.25) }),
      mutation(0, { verb: "limit", of: other, ask: ask(0.75) }),
      // That one of the two would be denied is told, and not which.
      mutation(1001, {
        verb: "limitAll",
        items: [
          { of, ask: ask(1.25) },
          { of: other, ask: ask(0.25) },
        ],
      }),
    ],
    { clockSteps: [step(1002, -31_001)] },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("what has arrived stays when clocks step back, also if what was taken then was given back at once", async () => {
  const life = lifeOf(
    { async: { ...LIMIT, rate: 15, capacity: 2 } },
    [
      mutation(0, { verb: "hold", of, count: 1 }),
      mutation(2, { verb: "limit", of, ask: ask(1) }),
      mutation(
        8,
        { verb: "limit", of, ask: ask(1) },
        { verb: "release", nth: 0, isLease: false },
      ),
    ],
    { clockSteps: [step(11, -30_001)], seed: 175214843 },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("a credit fills what rows hold above one row's capacity, where a clock was behind", async () => {
  const life = lifeOf(
    {
      split: { ...splitOf(19, 2), period: 60_000, overrides: false },
    },
    [
      mutation(0, { verb: "hold", of: split, count: 9.5 }),
      mutation(10, { verb: "credit", of: split, count: 9.5 }),
      mutation(0, { verb: "settle", nth: 0, count: 19.25 }),
    ],
    { clockSteps: [step(1, -47_510)], seed: 3 },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("the time of a full limit stays when nothing is given back", async () => {
  const life = lifeOf(
    { async: { ...LIMIT, rate: 15, capacity: 2 } },
    [
      mutation(0, { verb: "schedule", of, count: 1 }),
      mutation(2, { verb: "limit", of, ask: ask(1) }),
      mutation(10_000, { verb: "cancel", nth: 0 }),
      mutation(10_000, { verb: "limit", of, ask: ask(1) }),
    ],
    {
      executionMs: 10,
      clockSteps: [step(5000, 900_000), step(15_000, 500_000)],
      faults: { dropped: 1 },
      seed: 1,
    },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("what is owed beside each other is forgiven as soon as an override is set", async () => {
  const life = lifeOf(
    {
      async: {
        ...LIMIT,
        rate: 0.5,
        period: 1000,
        capacity: 0,
        overrides: true,
        enforce: false,
      },
    },
    [
      mutation(0, {
        verb: "limitAll",
        items: [{ of, ask: { count: 0.25, reserve: true } }],
      }),
      mutation(0, { verb: "schedule", of, count: 1 }),
      mutation(12, override(of, { config: { rate: 0.25 } }), {
        verb: "list",
        order: "key",
      }),
    ],
    { seed: 33587739 },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("a limit that was made full has no room for what the same mutation gives back", async () => {
  const dry = { ...LIMIT, rate: 1, capacity: 1, enforce: false } as const;
  const life = lifeOf(
    { async: dry },
    [
      mutation(0, { verb: "schedule", of, count: 2 }),
      mutation(0, { verb: "charge", of, count: 1 }),
      mutation(
        20,
        { verb: "clearAll" },
        { verb: "cancel", nth: 0 },
        { verb: "limit", of, ask: { ...ask(1), reserve: true } },
      ),
    ],
    { seed: 298705194 },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

// docs/algebra.md says so, and what it can add at most.
test("where the first calls of a key overlap just as its capacity rises, one of them finds its row full", async () => {
  const life = lifeOf(
    {
      split: { ...splitOf(8, 4), enforce: false },
    },
    [
      mutation(0, override(split, { config: { capacity: 3 } }, { lasts: 67 }), {
        verb: "credit",
        of: split,
        count: 0.25,
      }),
      mutation(0, { verb: "hold", of: split, count: 0.25 }),
      mutation(
        0,
        { verb: "schedule", of: split, count: 2.25 },
        { verb: "credit", of: split, count: 0.25 },
        { verb: "credit", of: split, count: 0.25 },
      ),
    ],
    { jitterMs: 1 },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("a call takes at the time that it has seen, though beside it the limit is reset by a clock behind", async () => {
  const life = lifeOf(
    { async: { ...LIMIT, rate: 0.25, period: 1000, capacity: 0.25 } },
    [
      mutation(0, { verb: "limit", of, ask: ask(0.25) }),
      mutation(10, { verb: "reset", of }, { verb: "hold", of, count: 0.25 }),
      mutation(1, { verb: "schedule", of, count: 1 }),
      mutation(20, { verb: "getValue", of }),
    ],
    { clockSteps: [step(1, -12), step(12, -32)] },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("a split limit that is full by a lowered capacity when it is written is full when that ends", async () => {
  const life = lifeOf(
    {
      split: splitOf(8, 2),
    },
    [
      mutation(
        0,
        { verb: "limit", of: split, ask: ask(3) },
        override(
          split,
          { config: { capacity: 2.25 } },
          { lasts: 10, startsIn: 10 },
        ),
      ),
      // One row lacks something by its share, though both together do not.
      mutation(15, { verb: "credit", of: split, count: 0.25 }),
      mutation(20, { verb: "limit", of: split, ask: ask(0) }),
    ],
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("the vacuum keeps full rows beside others that were in use before, for when the capacity rises", async () => {
  const life = lifeOf(
    {
      split: { ...splitOf(400, 2), period: 60_000 },
    },
    [
      mutation(
        0,
        { verb: "limit", of: split, ask: ask(200) },
        { verb: "limit", of: split, ask: ask(1) },
        override(
          split,
          { config: { capacity: 800 } },
          { lasts: HOUR_MS, startsIn: 3 * HOUR_MS },
        ),
      ),
      mutation(3 * HOUR_MS + 1000, { verb: "getValue", of: split }),
    ],
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("what was given back stays, if the same mutation then sets the key free", async () => {
  const life = lifeOf(
    {
      async: {
        ...LIMIT,
        rate: 0.25,
        period: 1000,
        capacity: 1,
        overrides: true,
      },
    },
    [
      mutation(0, { verb: "limit", of, ask: ask(1) }),
      mutation(1, { verb: "hold", of, count: 0 }),
      mutation(
        20,
        { verb: "credit", of, count: 1 },
        override(of, { unlimited: true }, { lasts: 1 }),
        { verb: "limit", of, ask: ask(0) },
      ),
      mutation(20, { verb: "limit", of, ask: ask(1) }),
    ],
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("a window that is filled was not full before, also by a clock that steps back behind an override's end", async () => {
  const life = lifeOf(
    {
      async: {
        kind: "fixed window",
        rate: 0.25,
        period: 60_000,
        start: 0,
        overrides: true,
        applyUpdates: "asynchronously",
      },
    },
    [
      mutation(1, override(of, { config: { capacity: 0.5 } }, { lasts: 1 })),
      mutation(20, { verb: "limit", of, ask: ask(0.25) }),
      mutation(20, { verb: "credit", of, count: 0.25 }),
      mutation(20, { verb: "getValue", of }),
    ],
    { clockSteps: [step(60, -60)] },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("what a clock ahead has recorded keeps its time, though everything is cleared", async () => {
  const dry = { ...LIMIT, rate: 0.25, enforce: false, capacity: 0.25 } as const;
  const life = lifeOf(
    { async: dry },
    [
      mutation(
        0,
        { verb: "limit", of, ask: ask(0.25) },
        { verb: "credit", of, count: 0.25 },
      ),
      mutation(
        1,
        {
          verb: "limit",
          of: { name: "async", key: undefined },
          ask: ask(0.25),
        },
        { verb: "clearAll" },
        { verb: "credit", of, count: 0.25 },
      ),
      mutation(8, { verb: "limit", of, ask: ask(0) }),
      mutation(7, { verb: "limit", of, ask: ask(0) }),
      mutation(1, { verb: "reset", of }, { verb: "limit", of, ask: ask(0.25) }),
      mutation(
        0,
        { verb: "charge", of, count: 0.25 },
        { verb: "limit", of, ask: ask(1) },
      ),
    ],
    { clockSteps: [step(0, 30_018), step(1, 0)], seed: 14 },
  );
  await expect(live(life)).resolves.toBeUndefined();
});

test("a row that another split wrote while a debt arose grants what it holds, and no more", async () => {
  const life = lifeOf(
    { split: { ...splitOf(8, 2), overrides: false } },
    [
      mutation(0, { verb: "hold", of: split, count: 0.25 }),
      mutation(
        0,
        { verb: "schedule", of: split, count: 14.75 },
        { verb: "list", order: "key" },
      ),
      mutation(0, { verb: "limit", of: split, ask: ask(1) }),
      mutation(6, { verb: "schedule", of: split, count: 0.5 }),
    ],
    {
      executionMs: 40,
      jitterMs: 1,
      deploy: { before: 2, shards: 3 },
      faults: { dropped: 0.5, killed: 0.3 },
      seed: 25,
    },
  );
  await expect(live(life)).resolves.toBeUndefined();
});
