import { beforeAll, describe, expect, test } from "vitest";
import type { CallAnswer } from "../../sim/deployment.js";
import type { FaultRates } from "../../sim/faults.js";
import { ours } from "../../bench/limiters.js";
import { seededRandom } from "../../sim/random.js";
import { callAll, type Called } from "../support/simulatedCalls.js";

const config = {
  kind: "token bucket",
  // A quarter of a token a ms, which floats add up exactly.
  rate: 250,
  period: 1000,
  applyUpdates: "asynchronously",
} as const;

const limit = { name: "limit", config };

const take = (time: number): Called => ({
  time,
  name: "lib:rateLimit",
  args: limit,
});

/** `perSecond` calls of the limit a second, at random times. */
function load(perSecond: number, seconds: number, seed = 1): Called[] {
  const random = seededRandom(seed, "arrivals");
  return Array.from({ length: perSecond * seconds }, () =>
    take(random() * seconds * 1000),
  ).sort((a, b) => a.time - b.time);
}

/** By default, transactions take no time but that of their looks, so that housekeeping cannot delay the calls. */
async function run(
  calls: readonly Called[],
  faults: FaultRates = {},
  { executionMs = 0, scheduledAfterMs = 50 } = {},
) {
  const { app } = ours.served({ ...config, shards: 1 });
  const setting = { executionMs, faults, scheduledAfterMs };
  const ran = await callAll(app, calls, setting);
  expect(ran.deployment.scheduledErrors).toEqual([]);
  return ran;
}

function values(answers: readonly CallAnswer[]): unknown[] {
  return answers.map((answer) =>
    answer.kind === "answered" && "value" in answer.returned
      ? answer.returned.value
      : answer,
  );
}

const faults: [string, FaultRates][] = [
  ["dropped", { dropped: 1 }],
  ["half dropped", { dropped: 0.5 }],
  ["doubled", { doubled: 1 }],
  ["late", { delayed: 0.5, delayMs: 3000 }],
  ["killed half way", { killed: 0.5 }],
  ["stopped for a second", { schedulerDeadSeconds: 1 }],
  ["stopped for ever", { schedulerDeadSeconds: "forever" }],
];

describe("an overloaded asynchronous limit", () => {
  const calls = load(500, 0.6);
  let usual: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    usual = await run(calls);
  });

  test.each(faults)(
    "answers as usual, without conflicts, if housekeeping is %s",
    async (_, rates) => {
      const faulty = await run(calls, rates);
      expect(usual.deployment.deletions).toBeGreaterThan(50);
      expect(values(faulty.answers)).toEqual(values(usual.answers));
      expect(faulty.deployment.totals).toMatchObject({
        conflicts: 0,
        rowsWrittenMax: 1,
        nestedCallsMax: 1,
      });
    },
  );
});

test("below the limit, calls look at as many debits without housekeeping as with it", async () => {
  const calls = load(240, 2);
  const peeked = async (rates: FaultRates) =>
    (await run(calls, rates)).deployment.totals.rowsPeeked / calls.length;
  // A new or swept chain has no older debit to stop at, so calls on it look at one debit less.
  const [without, usual] = [await peeked({ dropped: 1 }), await peeked({})];
  expect(without).toBeGreaterThanOrEqual(usual);
  expect(without).toBeLessThan(usual + 0.05);
});

// As when a scheduler that was stopped runs again.
test("thirty housekeeping jobs at once leave one debit to look at", async () => {
  const job = { time: 200, name: "compact:compact", args: limit };
  const calls = [
    ...Array<Called>(20).fill(take(0)),
    ...Array<Called>(30).fill(job),
    { time: 5000, name: "lookAtDebits:debits", args: { name: "limit" } },
  ];
  const { answers } = await run(calls, { dropped: 1 }, { executionMs: 50 });
  expect(values(answers).at(-1)).toMatchObject({
    debits: [{ count: 0, value: 230 }],
  });
});

describe("beside a hundred asynchronous grants a second", () => {
  const beside = (name: string, args: Record<string, unknown>) => [
    ...load(100, 2),
    ...Array.from({ length: 30 }, (_, i) => ({
      time: i * 60 + 50,
      name,
      args,
    })),
  ];

  test.each([
    ["reset", "lib:resetRateLimit", limit],
    ["credit", "lib:credit", limit],
    ["charge", "lib:charge", limit],
    ["check in a mutation", "lib:checkRateLimitMutation", limit],
    ["getValue in a mutation", "lib:getValueMutation", limit],
    ["checkAll in a mutation", "lib:checkAllMutation", { limits: [limit] }],
    ["limitAll", "lib:limitAll", { limits: [limit, limit] }],
    ["hold", "holds:hold", limit],
    ["clearAll", "lib:clearAll", {}],
  ])("%s causes no conflict", async (_, name, args) => {
    const calls = beside(name, args);
    const { deployment, answers } = await run(calls, {}, { executionMs: 10 });
    expect(values(answers)).toHaveLength(calls.length);
    expect(deployment.totals.conflicts).toBe(0);
  });

  test("a grant reads only the debits of its own transaction", async () => {
    const { deployment } = await run(load(100, 2), {}, { executionMs: 10 });
    const { rowsRead } = deployment.totals;
    // Each grant reads none, which counts as one.
    expect(rowsRead).toBe(200);
  });
});
