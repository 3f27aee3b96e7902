import { HOUR, MINUTE, DAY, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  stored,
} from "../host.js";

useStillClock();

const { holds } = components.rateLimiter;

const ten: RateLimitConfig = { kind: "token bucket", rate: 10, period: MINUTE };

function start(config: RateLimitConfig = ten) {
  const t = startHost();
  const hold = (count: number, more: object = {}) =>
    t.mutation((ctx) =>
      ctx.runMutation(holds.hold, {
        name: "job",
        key: "k",
        config,
        count,
        ...more,
      }),
    );
  return {
    t,
    hold,
    held: async (count: number, more: object = {}) => {
      const answer = await hold(count, more);
      if (!answer.ok) throw new Error("denied");
      return answer.id;
    },
    settle: (id: string, count: number) =>
      t.mutation((ctx) => ctx.runMutation(holds.settle, { id, count })),
    stored: () => stored(t, "holds"),
    balance: async () => (await storedRows(t))[0]?.value ?? 10,
  };
}

const settled = { settled: true };
const notSettled = { settled: false };

describe("a hold", () => {
  test("takes as a request does, and is kept for a day", async () => {
    const { hold, stored, balance } = start();
    expect(await hold(4)).toEqual({
      ok: true,
      id: expect.any(String) as string,
    });
    expect(await balance()).toBe(6);
    expect(await stored()).toMatchObject([
      {
        name: "job",
        key: "k",
        config: ten,
        taken: 4,
        expiresAt: MIDNIGHT + DAY,
      },
    ]);
  });

  test("is kept for as long as asked, from when what it reserved is there", async () => {
    const { hold, stored } = start();
    expect(await hold(12, { reserve: true, expiresAfter: 500 })).toMatchObject({
      ok: true,
      retryAfter: 12_000,
    });
    expect(await stored()).toMatchObject([
      { taken: 12, expiresAt: MIDNIGHT + 12_500 },
    ]);
  });

  test("that is denied keeps and takes nothing", async () => {
    const { hold, stored, balance } = start();
    await hold(8);
    expect(await hold(3)).toEqual({ ok: false, retryAfter: 6000 });
    await expect(hold(3, { throws: true })).rejects.toMatchObject({
      data: { retryAfter: 6000 },
    });
    expect(await stored()).toHaveLength(1);
    expect(await balance()).toBe(2);
  });

  test.each([0, -1, NaN, Infinity])(
    "for %d ms is refused",
    async (expiresAfter) => {
      const { hold, stored } = start();
      await expect(hold(1, { expiresAfter })).rejects.toThrow(
        `Rate limit job: expiresAfter must be a finite number above 0, but is ${expiresAfter}.`,
      );
      expect(await stored()).toEqual([]);
    },
  );

  test("of what is there in five years is kept, and of what is there later refused", async () => {
    const { hold, t } = start({ ...ten, rate: 1, period: 5 * 365 * DAY });
    const later = start({ ...ten, rate: 1, period: 5 * 365 * DAY + 1 });
    const reserve = { reserve: true };
    expect(await hold(2, reserve)).toMatchObject({
      ok: true,
      retryAfter: 5 * 365 * DAY,
    });
    await expect(later.hold(2, reserve)).rejects.toThrow(
      "there in 157680000001 ms only, later than five years",
    );
    expect(await storedRows(later.t)).toEqual([]);
    expect(await storedRows(t)).toHaveLength(1);
  });

  test("that took nothing in a dry run says so, but not if it asked for nothing", async () => {
    const { hold, stored } = start({ ...ten, enforce: false });
    expect(await hold(11)).toMatchObject({ ok: true, wouldDeny: true });
    await hold(0);
    const [dry, nothing] = await stored();
    expect(dry).not.toHaveProperty("taken");
    expect(nothing).toMatchObject({ taken: 0 });
  });
});

describe("settled", () => {
  test.each([
    ["by what it took, it changes nothing", 4, 6],
    ["by less, the rest is given back", 1, 9],
    ["by nothing, all is given back", 0, 10],
    ["by more, the rest is taken", 7, 3],
    ["by more than there is, a debt is left", 15, -5],
  ])("%s", async (_claim, used, balance) => {
    const app = start();
    const id = await app.held(4);
    expect(await app.settle(id, used)).toEqual(settled);
    expect(await app.balance()).toBe(balance);
    expect(await app.stored()).toEqual([]);
  });

  test.each([
    ["in its last ms, it is", HOUR - 1, settled, 10],
    ["when it has expired, it is not", HOUR, notSettled, 6],
  ])("%s", async (_claim, after, expected, balance) => {
    const app = start({ ...ten, period: 1000 * DAY });
    const id = await app.held(4, { expiresAfter: HOUR });
    vi.setSystemTime(MIDNIGHT + after);
    expect(await app.settle(id, 0)).toEqual(expected);
    expect(await app.balance()).toBeCloseTo(balance, 2);
  });

  test("by what is no count, it is refused and kept", async () => {
    const app = start();
    const id = await app.held(4);
    await expect(app.settle(id, -1)).rejects.toThrow("settle: count must be");
    expect(await app.stored()).toHaveLength(1);
  });

  test("what took nothing moves nothing", async () => {
    const app = start({ ...ten, enforce: false });
    const id = await app.held(11);
    expect(await app.settle(id, 3)).toEqual(settled);
    expect(await storedRows(app.t)).toEqual([]);
  });

  test("what is no id of a hold is refused, whether or not there is one", async () => {
    const app = start();
    const id = await app.held(4);
    const withoutName = id.replace(":job", "");
    const refused = [
      "nothing",
      "nothing:job",
      withoutName,
      `${withoutName}:api`,
    ];
    for (const wrong of refused) {
      await expect(app.settle(wrong, 1)).rejects.toThrow(
        `${wrong} is not the id of a hold.`,
      );
    }
    expect(await app.settle(id, 4)).toEqual(settled);
    await expect(app.settle(withoutName, 1)).rejects.toThrow(
      `${withoutName} is not the id of a hold.`,
    );
  });
});

describe("released by the function that it is for", () => {
  test("it gives back what it took, once, and no other does", async () => {
    const app = start();
    const run = (scheduledId: string) =>
      app.t.mutation((ctx) =>
        ctx.runMutation(holds.releaseScheduled, { scheduledId }),
      );
    const attach = (id: string, scheduledId: string) =>
      app.t.mutation((ctx) =>
        ctx.runMutation(holds.attach, { id, scheduledId }),
      );
    await attach(await app.held(4), "first");
    await attach(await app.held(3), "second");
    expect(await run("third")).toEqual({ found: false });
    expect(await run("second")).toEqual({ found: true });
    expect(await app.balance()).toBe(6);
    expect(await run("second")).toEqual({ found: false });
    expect(await run("first")).toEqual({ found: true });
    expect(await app.balance()).toBe(10);
  });

  test("by the config that its limit has now, of all that come with the call", async () => {
    const app = start();
    const scheduledId = "first";
    const id = await app.held(4);
    const inSeven = [
      { name: "other", config: { ...ten, capacity: 100 } },
      { name: "job", config: { ...ten, capacity: 7 } },
    ];
    await app.t.mutation(async (ctx) => {
      await ctx.runMutation(holds.attach, { id, scheduledId });
      await ctx.runMutation(holds.releaseScheduled, {
        scheduledId,
        limits: inSeven,
      });
    });
    expect(await app.balance()).toBe(7);
  });
});

describe("the config that a hold is settled by", () => {
  // As an earlier release might have stored it.
  const refused = { ...ten, headroom: 2 } as const;

  test("is checked if it comes with the call", async () => {
    const app = start();
    const id = await app.held(4);
    const settle = app.t.mutation((ctx) =>
      ctx.runMutation(holds.settle, { id, count: 1, config: refused }),
    );
    await expect(settle).rejects.toThrow("Rate limit job: headroom needs");
    expect(await app.stored()).toHaveLength(1);
  });

  test("is not checked again if it was stored", async () => {
    const app = start();
    const id = await app.held(4);
    await inComponent(app.t, async ({ db }) => {
      for (const { _id } of await db.query("holds").collect()) {
        await db.patch("holds", _id, { config: refused });
      }
    });
    expect(await app.settle(id, 1)).toEqual(settled);
    expect(await app.balance()).toBe(9);
  });
});
