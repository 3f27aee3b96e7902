import { DAY, HOUR, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { balanceOf, bucket, startApp } from "../support/startApp.js";
import {
  components,
  MIDNIGHT,
  startHost,
  stored,
  storedRows,
  useStillClock,
} from "../support/host.js";

useStillClock();

const { verbs } = components.rateLimiter;
const { limiter } = startApp({});

const ten = bucket(10);

function start(config: RateLimitConfig = ten) {
  const t = startHost();
  const hold = (count: number, more: object = {}) =>
    t.mutation((ctx) =>
      ctx.runMutation(verbs.holdAll, {
        limits: [{ name: "job", key: "k", config, count, ...more }],
      }),
    );
  return {
    t,
    hold,
    held: async (count: number, more: object = {}) => {
      const answer = await hold(count, more);
      if (!answer.ok) throw new Error("denied");
      return answer.ids[0]!;
    },
    settle: (id: string, count: number) =>
      t.mutation((ctx) => limiter.settle(ctx, id, { count })),
    stored: () => stored(t, "holds"),
    balance: async () => (await storedRows(t))[0]?.value ?? 10,
  };
}

const settled = { settled: true };

test("settling leaves a key full when both rules that used it say so", async () => {
  const isInline = true;
  const slow = { ...ten, period: 10 * HOUR, isInline };
  const { t, held, settle } = start();
  const id = await held(5, { config: slow });
  await held(2, { config: { ...ten, isInline } });
  expect(await settle(id, 0)).toEqual(settled);
  const fullAt = MIDNIGHT + 2 * HOUR;
  expect(await storedRows(t)).toMatchObject([{ value: 8, fullAt }]);
});

describe("a hold", () => {
  test("expires expiresAfter ms after the tokens that it reserved arrive", async () => {
    const { hold, stored } = start();
    expect(await hold(12, { reserve: true, expiresAfter: 500 })).toMatchObject({
      ok: true,
      retryAfter: 12_000,
    });
    expect(await stored()).toMatchObject([
      { taken: 12, expiresAt: MIDNIGHT + 12_500 },
    ]);
  });

  test("is answered without what only a list has", async () => {
    const { hold } = startApp({ job: ten });
    const once = { once: "it", count: 8 };
    const { id, ...granted } = await hold("job", once);
    expect(granted).toStrictEqual({ ok: true });
    const { id: again, ...repeated } = await hold("job", once);
    expect(repeated).toStrictEqual({ ok: true });
    expect(again).not.toBe(id);
    const denied = await hold("job", { count: 3 });
    expect(denied).toStrictEqual({ ok: false, retryAfter: 6000 });
  });

  test("may reserve tokens that arrive within five years, but no later", async () => {
    const period = 5 * 365 * DAY;
    const slow = { ...ten, rate: 1, period };
    const reserve = { reserve: true };
    const kept = await start(slow).hold(2, reserve);
    expect(kept).toMatchObject({ ok: true, retryAfter: period });
    const later = start({ ...slow, period: period + 1 });
    await expect(later.hold(2, reserve)).rejects.toThrow(
      "arrive in 157680000001 ms, more than five years from now",
    );
    expect(await storedRows(later.t)).toEqual([]);
  });
});

describe("settling a hold", () => {
  test.each([
    ["by more takes the rest", 7, 3],
    ["by more than there is leaves a debt", 15, -5],
  ])("%s", async (_claim, used, balance) => {
    const app = start();
    const id = await app.held(4);
    expect(await app.settle(id, used)).toEqual(settled);
    expect(await app.balance()).toBe(balance);
    expect(await app.stored()).toEqual([]);
  });

  test.each([
    ["succeeds in its last ms", HOUR - 1, true, 10],
    ["fails once it has expired", HOUR, false, 6],
  ])("%s", async (_claim, after, settled, balance) => {
    const app = start({ ...ten, period: 1000 * DAY });
    const id = await app.held(4, { expiresAfter: HOUR });
    vi.setSystemTime(MIDNIGHT + after);
    expect(await app.settle(id, 0)).toEqual({ settled });
    expect(await app.balance()).toBeCloseTo(balance, 2);
  });

  test.each([-1, NaN, undefined])(
    "by a count of %s is refused, and keeps it",
    async (count) => {
      const app = start();
      const id = await app.held(4);
      await expect(app.settle(id, count as number)).rejects.toThrow(
        `settle: count must be a finite number of at least 0, but is ${count}.`,
      );
      expect(await app.stored()).toHaveLength(1);
    },
  );

  test("that took nothing moves nothing", async () => {
    const app = start({ ...ten, enforce: false });
    const id = await app.held(11);
    expect(await app.settle(id, 3)).toEqual(settled);
    expect(await storedRows(app.t)).toEqual([]);
  });

  test.each([0, 4])(
    "that took %i tokens while its key was unlimited charges nothing",
    async (count) => {
      const limits = { job: { ...ten, overrides: true } };
      const app = startApp(limits);
      await app.setOverride("job", { unlimited: true });
      const id = await app.held("job", { count });
      const ids = await app.holdAll([{ name: "job", count }]);
      await app.clearOverride("job");
      await app.settle(id, 7);
      await app.settle(ids.ids![0]!, 7);
      expect(await balanceOf(app, "job")).toBe(10);
    },
  );

  test("by an invalid id is refused, even if the hold exists", async () => {
    const app = start();
    const id = await app.held(4);
    const bare = id.replace(":job", "");
    const expectRefused = (wrong: string) =>
      expect(app.settle(wrong, 1)).rejects.toThrow(
        `${wrong} is not the id of a hold.`,
      );
    for (const wrong of ["nothing", "nothing:job", bare, `${bare}:api`]) {
      await expectRefused(wrong);
    }
    expect(await app.settle(id, 4)).toEqual(settled);
    await expectRefused(bare);
  });
});
