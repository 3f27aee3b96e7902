import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, creditRows } from "../../src/core/decide.js";
import { allBalances, type Row } from "../../src/core/rows.js";
import { quarters } from "../support/arbitraries.js";
import { DAY, HOUR, MINUTE, WEEK } from "../../src/core/periods.js";
import { decideAlone } from "../support/decideAlone.js";
import { phasesOf } from "../../src/core/phases.js";

describe("the wait for one token is right to the ms, however slow the limit", () => {
  test.each<[rate: number, period: number, retryAfter: number]>([
    [10, MINUTE, 6_000],
    [10, HOUR, 360_000],
    [3, DAY, 8 * HOUR],
    [7, WEEK, DAY],
    [1, WEEK, WEEK],
    [1, 100 * DAY, 100 * DAY],
    [1, 10_000 * DAY, 10_000 * DAY],
  ])("%d per %d ms", (rate, period, retryAfter) => {
    const config = { kind: "token bucket", rate, period } as const;
    const phases = phasesOf("slow", undefined, config, undefined, 0);
    const one = { count: 1, debt: "none", leave: 0, upTo: false } as const;
    const take = (now: number) =>
      decideAlone(phases, [{ shard: 0, value: 0, ts: 0 }], [one], now);
    expect(take(0)).toEqual({ ok: false, refused: [0], retryAfter });
    expect(take(retryAfter - 1).ok).toBe(false);
    expect(take(retryAfter).ok).toBe(true);
  });
});

describe("reserved work of a bucket in one row", () => {
  const [rate, period, capacity] = [3, 40, 4];
  const config = { kind: "token bucket", rate, period, capacity } as const;
  const phases = phasesOf("paced", undefined, config, undefined, 0);
  const [{ limit }] = phases;

  type Work = { count: number; askedAt: number; startsAt: number };
  type Step = { after: number; count: number; cancels: number | undefined };

  /** Reserves, and cancels what has not started. Lists what was given back, and when. */
  function work(steps: readonly Step[]) {
    let rows: readonly Row[] = [];
    let waiting: Work[] = [];
    const started: Work[] = [];
    const givenBack: { time: number; tokens: number }[] = [];
    let now = 0;
    for (const { after, count, cancels } of steps) {
      now += after;
      started.push(...waiting.filter(({ startsAt }) => startsAt <= now));
      waiting = waiting.filter(({ startsAt }) => startsAt > now);
      const [cancelled] = waiting.splice(cancels ?? waiting.length, 1);
      if (cancelled !== undefined) {
        const held = allBalances(limit, rows, now);
        const { credited, writes } = creditRows(
          limit,
          held,
          cancelled.count,
          now,
        );
        rows = writes;
        givenBack.push({ time: now, tokens: credited });
      } else {
        const demand = {
          count,
          debt: "reserve",
          leave: 0,
          upTo: false,
        } as const;
        const decision = decide(phases, rows, [demand], now);
        if (!decision.ok) throw new Error("Nothing bounds what is reserved.");
        rows = decision.writes;
        const startsAt = now + (decision.retryAfter ?? 0);
        waiting.push({ count, askedAt: now, startsAt });
      }
    }
    return { works: [...started, ...waiting], givenBack };
  }

  const aStep = fc.record({
    after: fc.integer({ min: 0, max: 30 }),
    count: quarters(0.25, 6),
    cancels: fc.constantFrom(undefined, undefined, 0, 1, 2),
  });

  // What may start between two times is bounded by the capacity, the refill, and what was given back.
  test("starts at the pace of the limit, plus what was given back since its request", () => {
    fc.assert(
      fc.property(fc.array(aStep, { maxLength: 30 }), (steps) => {
        const { works, givenBack } = work(steps);
        for (const { startsAt: from } of works) {
          for (const { startsAt: to } of works) {
            if (to < from) continue;
            const some = works.filter(
              ({ startsAt }) => startsAt >= from && startsAt <= to,
            );
            const asked = some.map(({ askedAt }) => askedAt);
            const [first, last] = [Math.min(...asked), Math.max(...asked)];
            const largest = Math.max(capacity, ...some.map((one) => one.count));
            const back = givenBack.filter(
              ({ time }) => time >= first && time <= last,
            );
            const refill = ((to - from + 1) * rate) / period;
            const most =
              largest + refill + sumOf(back.map((one) => one.tokens));
            const tokens = sumOf(some.map(({ count }) => count));
            expect(tokens).toBeLessThanOrEqual(most + 1e-6);
          }
        }
      }),
    );
  });

  test("can start together with work that replaces cancelled work", () => {
    const ask = (count: number) => ({ after: 0, count, cancels: undefined });
    const steps = [ask(4), ask(3), ask(3), { ...ask(3), cancels: 0 }, ask(3)];
    const { works } = work(steps);
    expect(works.map(({ startsAt }) => startsAt)).toEqual([0, 80, 80]);
  });
});

const sumOf = (numbers: readonly number[]) =>
  numbers.reduce((sum, n) => sum + n, 0);
