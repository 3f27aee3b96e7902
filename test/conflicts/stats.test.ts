import {
  componentsGeneric,
  defineSchema,
  mutationGeneric,
  type FunctionReference,
} from "convex/server";
import { describe, expect, test } from "vitest";
import type { Setting } from "../../sim/deployment.js";

import type { FaultRates } from "../../sim/faults.js";
import { ours } from "../../bench/limiters.js";
import { FREE } from "../../sim/prices.js";
import { seededRandom } from "../../sim/random.js";

import { callAll, value, type Called } from "../support/simulatedCalls.js";

const HOUR = 3_600_000;
const EPOCH_MS = Date.UTC(2026, 0, 1);

const bucket = {
  kind: "token bucket",
  rate: 20,
  period: 1000,
  shards: 1,
} as const;
/** A limit that never has a token. Each charge changes its row. */
const drained = { ...bucket, rate: 1e-6, capacity: 1000, maxReserved: 0 };

/** `perSecond` calls a second, at random times, each of one of four keys. */
function load(
  perSecond: number,
  seconds: number,
  call: (key: string) => Omit<Called, "time">,
): Required<Called>[] {
  const random = seededRandom(1, "arrivals");
  return Array.from({ length: perSecond * seconds }, () => ({
    time: 100 + random() * seconds * 1000,
    args: {},
    ...call(`key ${Math.floor(random() * 4)}`),
  })).sort((a, b) => a.time - b.time);
}

async function run(calls: readonly Called[], setting: Partial<Setting> = {}) {
  const ran = await callAll(ours, calls, setting);
  expect(ran.deployment.scheduledErrors).toEqual([]);
  return ran;
}

type Said = { ok: boolean };
type Counted = {
  granted: number;
  denied: number;
  tokens: number;
  closeCalls?: number;
};

describe("a counted denial conflicts with no write beside it", () => {
  const one = { name: "limit", config: { ...drained, stats: true } };
  const of = (more: object) => ({ ...one, config: { ...one.config, ...more } });
  const split = of({ shards: 20 });
  const overridden = of({ overrides: true });
  const running = {
    name: "limit",
    config: { kind: "concurrency", capacity: 10, lease: HOUR, stats: true },
  };
  const list = { limits: [{ name: "other", config: bucket }, one] };
  const limit = "lib:rateLimit";
  const hold = "verbs:holdAll";
  const alone = (request: object) => ({ limits: [request] });
  const charge = (args: typeof one, count: number) => ({
    name: "verbs:charge",
    args: { ...args, count },
  });
  const drain = charge(one, 1000);
  const override = {
    name: "verbs:setOverride",
    args: { name: "limit", override: { config: { rate: 1e-7 } } },
  };
  const leases = (count: number) => ({
    name: hold,
    args: alone({ ...running, count }),
  });

  test.each([
    ["limit", limit, one, drain, charge(one, 1)],
    ["limit, split", limit, split, charge(split, 1000), charge(split, 1)],
    ["limit, with overrides", limit, overridden, drain, override],
    ["limitAll", "verbs:limitAll", list, drain, charge(one, 1)],
    ["hold", hold, alone(one), drain, charge(one, 1)],
    [
      "hold of a concurrency limit",
      hold,
      alone(running),
      leases(10),
      leases(0),
    ],
    ["schedule", hold, alone({ ...one, reserve: true }), drain, charge(one, 1)],
  ])("%s", async (_, name, args, first, beside) => {
    const denied = load(400, 1, () => ({ name, args }));
    const others = Array.from({ length: 20 }, (_, i) => ({
      time: 150 + i * 50,
      ...beside,
    }));
    const { answers, deployment } = await run([
      { time: 0, ...first },
      ...denied,
      ...others,
    ]);
    const said = answers.slice(1, 1 + denied.length);
    expect(said.map(({ conflicts }) => conflicts)).toEqual(denied.map(() => 0));
    expect(said.every((answer) => !value<Said>(answer).ok)).toBe(true);
    expect(deployment.deletions).toBeGreaterThan(30);
  });
});

// It reads the event of the first, which its own transaction has written.
test("a second counted denial in the same mutation conflicts with nothing either", async () => {
  const calls = componentsGeneric().limiter as unknown as {
    lib: Record<string, FunctionReference<"mutation", "internal">>;
    verbs: Record<string, FunctionReference<"mutation", "internal">>;
  };
  type Args = { count?: number };
  const limits = ["a", "b"].map((name) => ({
    name,
    config: { ...drained, stats: true },
  }));
  const both = (verb: FunctionReference<"mutation", "internal">) =>
    mutationGeneric({
      handler: async (ctx, more: Args) => {
        const said: Said[] = [];
        for (const limit of limits) {
          const args = { ...limit, ...more };
          said.push((await ctx.runMutation(verb, args)) as Said);
        }
        return { ok: said.some(({ ok }) => ok) };
      },
    });
  const host = {
    limit: both(calls.lib.rateLimit!),
    charge: both(calls.verbs.charge!),
  };
  const { answers } = await run(
    [
      { time: 0, name: "host:charge", args: { count: 1000 } },
      ...load(100, 4, () => ({ name: "host:limit", args: {} })),
      ...load(10, 4, () => ({ name: "host:charge", args: { count: 1 } })),
    ],
    {
      schema: defineSchema({}),
      modules: { host },
      components: { limiter: ours },
    },
  );
  const said = answers.slice(1, 401);
  expect(said.filter(({ conflicts }) => conflicts > 0)).toEqual([]);
  expect(said.every((answer) => !value<Said>(answer).ok)).toBe(true);
});

test("an overloaded limit conflicts exactly as often with stats as without", async () => {
  // Looks take no time and no fold runs, so that only the writes differ.
  const setting = { prices: FREE, faults: { dropped: 1 } };
  const overloaded = (stats: boolean) =>
    run(
      load(300, 2, (key) => ({
        name: "lib:rateLimit",
        args: { name: "limit", key, config: { ...bucket, stats } },
      })),
      setting,
    );
  const [without, counted] = [await overloaded(false), await overloaded(true)];
  const seen = ({ answers }: typeof without) =>
    answers.map((answer) => [
      answer.conflicts,
      answer.kind === "answered" && value<Said>(answer),
    ]);
  expect(seen(counted)).toEqual(seen(without));
  expect(without.deployment.totals.conflicts).toBeGreaterThan(100);
  expect(counted.deployment.totals.conflicts).toBe(
    without.deployment.totals.conflicts,
  );
});

describe("stats count every call once", () => {
  const faults: [string, FaultRates, foldsFrom: number][] = [
    ["on time", {}, 450],
    ["lost", { dropped: 1 }, 0],
    ["half lost", { dropped: 0.5 }, 300],
    ["doubled", { doubled: 1 }, 450],
    ["late", { delayed: 0.5, delayMs: 3000 }, 300],
    ["killed half way", { killed: 0.5 }, 300],
    ["stopped for a second", { schedulerDeadSeconds: 1 }, 300],
    ["stopped for ever", { schedulerDeadSeconds: "forever" }, 0],
  ];

  test.each(faults)("if folds are %s", async (_, rates, foldsFrom) => {
    const args = { name: "limit", config: { ...bucket, stats: true } };
    const calls = load(300, 2, (key) => ({
      name: "lib:rateLimit",
      args: { ...args, key, count: 2 },
    }));
    const range = { name: "limit", from: EPOCH_MS, to: EPOCH_MS + HOUR };
    const time = 60_000;
    const { answers, deployment } = await run(
      [
        ...calls,
        { time, name: "operators:stats", args: { ...range, by: "minute" } },
        { time, name: "operators:stats", args: { ...range, by: "hour" } },
        { time, name: "operators:topDenied", args: range },
      ],
      { faults: rates },
    );
    const denials = new Map<string, number>();
    const expected = { granted: 0, denied: 0, tokens: 0 };
    calls.forEach(({ args }, i) => {
      if (answers[i]?.kind === "gave up") return;
      if (value<Said>(answers[i]).ok) {
        expected.granted++;
        expected.tokens += 2;
        return;
      }
      expected.denied++;
      const key = args["key"] as string;
      denials.set(key, (denials.get(key) ?? 0) + 1);
    });
    const [minutes, hours, top] = answers.slice(calls.length);
    const [minute] = value<Counted[]>(minutes);
    expect(minute).toMatchObject(expected);
    const { closeCalls } = minute!;
    expect(closeCalls).toBeGreaterThan(0);
    expect(value<Counted[]>(hours)).toEqual([
      { ...expected, closeCalls, from: EPOCH_MS, to: EPOCH_MS + HOUR },
    ]);
    expect(
      new Map(
        value<{ key: string; denied: number }[]>(top).map(({ key, denied }) => [
          key,
          denied,
        ]),
      ),
    ).toEqual(denials);
    expect(expected.denied).toBeGreaterThan(200);
    expect(deployment.deletions).toBeGreaterThanOrEqual(foldsFrom);
  });
});
