import { DAY, MINUTE } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { balanceOf, startApp } from "../../corners/app.js";
import { MIDNIGHT, useStillClock } from "../../host.js";

useStillClock();

const hundred = (shards: number, period = DAY) =>
  ({ kind: "token bucket", rate: 100, period, shards }) as const;

test.each([1, 3, 50])(
  "over %i shards one caller takes 100 single tokens at once, and not the 101st",
  async (shards) => {
    const { limit } = startApp({ split: hundred(shards) });
    for (let i = 0; i < 100; i++) {
      expect(await limit("split")).toEqual({ ok: true });
    }
    expect(await limit("split")).toMatchObject({ ok: false });
  },
);

test("a sample reads no more rows than asked", async () => {
  const { t, limiter, limit } = startApp({ split: hundred(10) });
  await limit("split", { count: 100 });
  const read = await t.query(async (ctx) => {
    await limiter.getValue(ctx, "split", { sampleShards: 3 });
    return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
  });
  expect(read).toBe(3);
});

describe("several calls on a split limit in one mutation see each other", () => {
  test("two limits take no more than there is", async () => {
    const app = startApp({ split: hundred(10) });
    const answers = await app.mutate(async (ctx) => {
      const answers: boolean[] = [];
      for (const count of [60, 60, 40, 1]) {
        answers.push((await app.limiter.limit(ctx, "split", { count })).ok);
      }
      return answers;
    });
    expect(answers).toEqual([true, false, true, false]);
    expect(await balanceOf(app, "split")).toBe(0);
  });

  test.each([1, 30])(
    "credit, then limit for %i on an exhausted limit: granted, and then no more",
    async (count) => {
      const { mutate, limiter, limit } = startApp({ split: hundred(10) });
      await limit("split", { count: 100 });
      const answers = await mutate(async (ctx) => {
        await limiter.credit(ctx, "split", { count });
        return [
          await limiter.limit(ctx, "split", { count }),
          await limiter.limit(ctx, "split", { count }),
        ];
      });
      expect(answers).toMatchObject([{ ok: true }, { ok: false }]);
    },
  );
});

test("a split limit that is slow waits to the ms, too", async () => {
  const config = { ...hundred(4, 100 * DAY), rate: 8 };
  const { limit } = startApp({ split: config });
  expect(await limit("split", { count: 8 })).toEqual({ ok: true });
  const retryAfter = 12.5 * DAY;
  expect(await limit("split")).toEqual({ ok: false, retryAfter });
  vi.setSystemTime(MIDNIGHT + retryAfter - 1);
  expect(await limit("split")).toEqual({ ok: false, retryAfter: 1 });
  vi.setSystemTime(MIDNIGHT + retryAfter);
  expect(await limit("split")).toEqual({ ok: true });
});

test("nothing reserved from a split limit in debt waits for the debt", async () => {
  const { charge, limit } = startApp({ split: hundred(5, MINUTE) });
  await charge("split", { count: 200 });
  const reserved = { ok: true, retryAfter: MINUTE };
  const nothing = { count: 0, reserve: true };
  expect(await limit("split", nothing)).toEqual(reserved);
});
