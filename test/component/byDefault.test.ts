import { DAY, SECOND, type LimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import { Deployment, type Answered } from "../../sim/deployment.js";
import { seededRandom } from "../../sim/random.js";
import type { Document } from "../../sim/ranges.js";
import type { Write } from "../../sim/store.js";
import { toStored, type StoredConfig } from "../../src/core/config.js";
import { parseLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/row.js";
import { holdings, total } from "../../src/core/rows.js";
import { aKind } from "../arbitraries.js";
import { MIDNIGHT } from "../host.js";
import { runs } from "../seed.js";
import { callAll, value, type Called } from "../simulated.js";

/** So many tokens a day: too slow to refill during a test. */
const tokens = (rate: number) =>
  ({ kind: "token bucket", rate, period: DAY, advice: false }) as const;

const window = { kind: "fixed window", start: 0, advice: false } as const;

const take = (at: number, config: LimitConfig, count = 1): Called => ({
  at,
  name: config.kind === "concurrency" ? "holds:hold" : "lib:rateLimit",
  args: { name: "hot", count, config: toStored(config) },
});

/** Calls that come faster than one row bears. */
const heat = (config: LimitConfig, count?: number): Called[] =>
  Array.from({ length: 60 }, (_, i) => take(i * 4, config, count));

/** The rows of a run, as they are stored by now. */
function rowsByNow() {
  const byId = new Map<string, Document>();
  const fields = new Set<string>();
  return {
    watch: (writes: readonly Write[]) => {
      for (const { table, before, after } of writes) {
        if (table !== "rateLimits") continue;
        if (after === undefined) byId.delete(before!._id);
        else byId.set(after._id, after);
        for (const field in after) fields.add(field);
      }
    },
    rows: () =>
      [...byId.values()].sort(
        (a, b) => Number(a.shard) - Number(b.shard),
      ) as unknown as Row[],
    fields: () => [...fields].filter((field) => !field.startsWith("_")).sort(),
  };
}

/** How full the rows of a limit are after these calls, and how many of them make up the whole. */
async function heldAfter(config: StoredConfig, calls: readonly Called[]) {
  const { watch, rows } = rowsByNow();
  await callAll(ours, calls, { watch });
  return holdings(parseLimit("hot", config), rows(), MIDNIGHT + SECOND);
}

describe("a hot limit splits, and each row keeps ten counts", () => {
  test.each([
    [100, 1, 10],
    [1000, 1, 64],
    [39, 1, 3],
    [20, 1, 2],
    [90, 3, 3],
    [100, 10, 1],
    [1000, 10, 10],
  ])("of capacity %i, by counts of %i: %i rows", async (n, count, rows) => {
    const held = await heldAfter(tokens(n), heat(tokens(n), count));
    expect(held).toHaveLength(rows);
    const least = Math.min(...held.map(({ parts }) => n / parts));
    expect(least).toBeGreaterThanOrEqual(Math.min(n, 10 * count));
  });
});

const ROW = ["fullAt", "name", "shard", "ts", "value"];

describe("its row, however hot, stores what it always did, and is the only one:", () => {
  test.each<[string, LimitConfig, string[]]>([
    ["of less than 20 tokens", tokens(19.9), ROW],
    ["with one row", { ...tokens(100), shards: 1 }, ROW],
    ["that warns", { ...tokens(100), warnAt: 0.5 }, ROW],
    [
      "a small window",
      { ...window, rate: 19, period: DAY },
      [...ROW, "usedAt"],
    ],
    [
      "a small window of the calendar",
      { kind: "fixed window", rate: 19, period: "day" },
      [...ROW, "nextAt", "usedAt"],
    ],
    [
      "one of asynchronous updates: none",
      { ...tokens(100), applyUpdates: "asynchronously" },
      [],
    ],
    [
      "what runs at once: none",
      { kind: "concurrency", capacity: 100, lease: DAY },
      [],
    ],
  ])("%s", async (_claim, config, fields) => {
    const { watch, rows, fields: stored } = rowsByNow();
    await callAll(ours, heat(config), { watch });
    expect(stored()).toEqual([...fields].sort());
    expect(rows()).toHaveLength(Math.min(1, fields.length));
  });
});

/** A call of any verb, at some time, of a limit of 40 tokens. */
const aCall = fc.record({
  at: fc.integer({ min: 0, max: 300 }),
  name: fc.constantFrom(
    ...["rateLimit", "rateLimit", "charge", "credit", "checkRateLimit"],
    ...["getValue", "resetRateLimit", "limitAll"],
  ),
  count: fc.constantFrom(1, 1, 1, 2, 15, 50),
  more: fc.constantFrom(
    {},
    {},
    { reserve: true },
    { upTo: true },
    { leave: 3 },
  ),
});

test("on a clock that stands still no row is split, and all that is said is said of one row", async () => {
  type Calls = readonly (typeof aCall extends fc.Arbitrary<infer T>
    ? T
    : never)[];
  const play = async (calls: Calls, shards?: number) => {
    const config = {
      ...tokens(40),
      maxReserved: 20,
      ...(shards && { shards }),
    };
    const one = { name: "hot", config };
    const argsOf: Record<string, (call: Calls[number]) => object> = {
      rateLimit: ({ count, more }) => ({ ...one, count, ...more }),
      checkRateLimit: ({ count, more }) => ({
        ...one,
        count,
        ...more,
        details: true,
      }),
      charge: ({ count }) => ({ ...one, count }),
      credit: ({ count }) => ({ ...one, count }),
      getValue: () => one,
      resetRateLimit: () => ({ name: "hot" }),
      limitAll: ({ count }) => ({ limits: [{ ...one, count }, one] }),
    };
    const { watch, rows } = rowsByNow();
    const { answers } = await callAll(
      ours,
      calls.map((call) => ({
        at: call.at,
        name: `lib:${call.name}`,
        args: argsOf[call.name]!(call) as Record<string, unknown>,
      })),
      { watch, clockErrorMs: (atMs) => -atMs },
    );
    return { answers, rows: rows().map(({ shard, value }) => [shard, value]) };
  };
  const said = ({ answers }: Awaited<ReturnType<typeof play>>) =>
    answers.map((answer) => {
      if (answer.kind === "gave up") return answer.kind;
      const { conflicts, returned } = answer;
      const { config: _, ...rest } = {
        config: 0,
        ...("value" in returned ? (returned.value as object) : { returned }),
      };
      return { conflicts, ...rest };
    });
  await fc.assert(
    fc.asyncProperty(
      fc.array(aCall, { minLength: 30, maxLength: 90 }),
      async (calls) => {
        const byDefault = await play(calls);
        const one = await play(calls, 1);
        expect(byDefault.rows).toEqual(one.rows);
        expect(said(byDefault)).toEqual(said(one));
      },
    ),
    runs(15),
  );
});

/** A limit that refills so many tokens a second, and holds so many. */
const perSecond = (
  kind: "token bucket" | "fixed window",
  rate: number,
  capacity: number,
) => ({
  ...(kind === "fixed window" ? window : { kind }),
  rate,
  capacity,
  period: SECOND,
  advice: false as const,
});

/**
 * A limit that many have split, and that one caller then uses alone, one call after the other: how many rows
 * there are, what each of its calls was told, and how many tokens there were.
 */
async function useAlone(
  config: StoredConfig,
  {
    executionMs,
    count,
    seed,
  }: { executionMs: number; count: number; seed: number },
) {
  const { watch, rows } = rowsByNow();
  const deployment = new Deployment({ ...ours, executionMs, seed, watch });
  const random = seededRandom(seed, "keys");
  const limit = parseLimit("hot", config);
  const balance = (now: number) => total(holdings(limit, rows(), now));
  const answers: { ok: boolean; before: number }[] = [];
  const call = (
    at: number,
    onAnswer: (answer: Answered) => void,
    counts = count,
  ) => {
    const { name, args } = take(at, config, counts);
    deployment.call(at, name, args!, (answer) => {
      if (answer.kind === "answered") onAnswer(answer);
    });
  };
  for (let i = 0; i < 150; i++) call(i * 4, () => {}, 1);
  const next = (at: number) => {
    call(at, (answer) => {
      // Only this call has changed the rows since it began.
      const { ok } = value<{ ok: boolean }>(answer);
      answers.push({ ok, before: balance(answer.now) + (ok ? count : 0) });
      const rest = random() < 0.5 ? 0 : random() * 2 * executionMs;
      if (answers.length < 150) next(answer.visibleAt - MIDNIGHT + rest);
    });
  };
  // By then all is calm that was retried, and full of tokens.
  call(
    100_000,
    ({ visibleAt }) => next(visibleAt - MIDNIGHT),
    limit.whole.capacity - 10,
  );
  await deployment.run();
  return { answers, rows: holdings(limit, rows(), MIDNIGHT).length };
}

test.each(["auto", undefined] as const)(
  "a caller alone gets every token of a limit that has split: shards %s",
  async (shards) => {
    let denials = 0;
    await fc.assert(
      fc.asyncProperty(
        aKind,
        fc.constantFrom(4, 8, 20, 60, 200),
        fc.constantFrom(200, 800),
        fc.record({
          executionMs: fc.integer({ min: 5, max: 200 }),
          count: fc.constantFrom(1, 1, 3),
          seed: fc.nat(1000),
        }),
        async (kind, rate, capacity, setting) => {
          const { answers, rows } = await useAlone(
            { ...perSecond(kind, rate, capacity), ...(shards && { shards }) },
            setting,
          );
          expect(rows).toBeGreaterThan(1);
          for (const { ok, before } of answers) {
            expect(ok).toBe(before >= setting.count - 1e-6);
            if (!ok) denials++;
          }
        },
      ),
      runs(20),
    );
    expect(denials).toBeGreaterThan(50);
  },
);

describe("used below its rate it denies no call", () => {
  // The last tokens of a busy window are left to who meets them.
  test.each([
    ["a bucket, at 99% of it", "token bucket", 198],
    ["a window, at 90% of it", "fixed window", 180],
  ] as const)("%s", async (_claim, kind, load) => {
    const config = perSecond(kind, 200, 200);
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed, "arrivals");
      const calls = Array.from({ length: 800 }, (_, i) =>
        take(((i + random()) * SECOND) / load, config),
      );
      const { watch, rows } = rowsByNow();
      const { answers } = await callAll(ours, calls, { watch, seed });
      const told = answers.filter(({ kind }) => kind === "answered");
      expect(told.length).toBeGreaterThan(790);
      const isDenied = told.map((one) => !value<{ ok: boolean }>(one).ok);
      expect(isDenied).not.toContain(true);
      expect(rows().length).toBeGreaterThan(1);
    }
  });
});
