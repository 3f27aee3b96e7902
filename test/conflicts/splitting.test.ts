import { MINUTE, SECOND } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { ours } from "../../bench/limiters.js";
import { Deployment, type Answered } from "../../sim/deployment.js";
import { seededRandom } from "../../sim/random.js";
import { MIDNIGHT } from "../support/host.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";
import { dailyBucket, rowsByNow, takeAt } from "../support/splitting.js";

type Answer = { ok: boolean; retryAfter?: number };
const seeds = [1, 2];

const perSecond = (rate: number) =>
  ({ kind: "token bucket", rate, period: SECOND }) as const;

/** Three callers, each of whom calls again a random while after its answer: 12 a second together. */
async function threeCallers(capacity: number, seed: number) {
  const { watch, rows } = rowsByNow();
  const setting = { ...ours, executionMs: 10, seed, watch };
  const deployment = new Deployment(setting);
  const random = seededRandom(seed, "arrivals");
  const config = { ...perSecond(10), capacity };
  let [balance, last, answered, denied] = [capacity, MIDNIGHT, 0, 0];
  const next = (time: number) => {
    if (time > 30 * SECOND) return;
    const { name, args } = takeAt(time, config);
    deployment.call(time, name, args!, (answer) => {
      if (answer.kind === "answered") {
        const now = Math.max(last, answer.now);
        balance = Math.min(capacity, balance + (10 * (now - last)) / SECOND);
        last = now;
        answered++;
        if (value<Answer>(answer).ok) balance--;
        else if (balance > 1 + 1e-6) denied++;
      }
      next(time + random() * 500);
    });
  };
  for (const time of [0, 30, 60]) next(time);
  await deployment.run();
  return { share: denied / answered, rows: rows().length };
}

test("of the calls of three callers at 12 a second at most one in ten is denied while one of 50 tokens is left", async () => {
  for (const seed of seeds) {
    expect((await threeCallers(50, seed)).share).toBeLessThanOrEqual(0.1);
  }
});

test("three callers keep a limit of 20 tokens in one row, and are never denied while one is left", async () => {
  for (const seed of seeds) {
    expect(await threeCallers(20, seed)).toEqual({ share: 0, rows: 1 });
  }
});

test.each([undefined, "auto", 8] as const)(
  "a caller alone waits exactly as long as it is told, after a time of heat: shards %s",
  async (shards) => {
    const config = {
      ...perSecond(20),
      capacity: 60,
      ...(shards && { shards }),
    };
    for (const seed of seeds) {
      const { watch, rows } = rowsByNow();
      const deployment = new Deployment({
        ...ours,
        executionMs: 20,
        seed,
        watch,
      });
      const random = seededRandom(seed, "arrivals");
      for (let i = 0; i < 150; i++) {
        const { name, args } = takeAt(i * 4, config);
        deployment.call(i * 4, name, args!, () => {});
      }
      const wrong: unknown[] = [];
      let waits = 0;
      const ask = (time: number, count: number, dueAt?: number) => {
        const { name, args } = takeAt(time, config, count);
        deployment.call(time, name, args!, (answer) => {
          const { now, visibleAt } = answer as Answered;
          const { ok, retryAfter } = value<Answer>(answer);
          const isRight = dueAt === undefined || ok === now >= dueAt;
          if (!isRight) wrong.push({ now, dueAt, retryAfter });
          if (waits === 60) return;
          const soon = visibleAt - MIDNIGHT + random() * 20;
          if (retryAfter === undefined) {
            return ask(soon, 1 + Math.floor(random() * 9));
          }
          waits++;
          const due = now + retryAfter;
          // Just in time, or 1 ms too soon.
          const again = due - MIDNIGHT - (random() < 0.5 ? 1 : 0);
          ask(Math.max(soon, again), count, due);
        });
      };
      ask(30 * SECOND, 40);
      await deployment.run();
      expect(rows().length).toBeGreaterThan(1);
      expect(waits).toBe(60);
      expect(wrong).toEqual([]);
    }
  },
);

test.each([[100, 2 * SECOND, 3 * MINUTE]])(
  "of %i keys with a call every %i ms, whose clocks differ by 60 ms, at most one in ten splits, into at most eight rows",
  async (keys, everyMs, lastsMs) => {
    const random = seededRandom(1, "keys");
    const config = dailyBucket(10_000);
    const calls: Called[] = [];
    for (let key = 0; key < keys; key++) {
      let time = random() * everyMs;
      for (; time < lastsMs; time += -Math.log(1 - random()) * everyMs) {
        const { name, args } = takeAt(time, config);
        calls.push({ time, name, args: { ...args, key: String(key) } });
      }
    }
    const rowsOf = new Map<string, number>();
    const splits = new Set<string>();
    await callAll(ours, calls, {
      executionMs: 20,
      clockErrorMs: () => Math.round((random() - 0.5) * 60),
      watch: (writes) => {
        for (const { table, before, after } of writes) {
          if (table !== "rateLimits") continue;
          const { key } = (after ?? before) as unknown as { key: string };
          if (after?.into !== undefined) splits.add(key);
          if (before === undefined) {
            rowsOf.set(key, (rowsOf.get(key) ?? 0) + 1);
          }
        }
      },
    });
    expect(rowsOf.size).toBe(keys);
    expect(splits.size).toBeLessThanOrEqual(keys / 10);
    expect(Math.max(...rowsOf.values())).toBeLessThanOrEqual(1 + 8);
  },
  60_000,
);
