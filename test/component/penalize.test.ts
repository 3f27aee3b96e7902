import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  SECOND,
  WEEK,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
  stored,
  runInternal,
} from "../host.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  api: { kind: "token bucket", rate: 10, period: MINUTE, overrides: true },
});

const ladder = { bans: [10 * MINUTE, HOUR, DAY], forgetAfter: WEEK };
const firstPage = { paginationOpts: { numItems: 100, cursor: null } };

type Change = Omit<Parameters<typeof limiter.setOverride>[2], "key">;

function start() {
  const t = startHost();
  const key = "k";
  return {
    t,
    penalize: (options: Partial<typeof ladder> & { note?: string } = {}) =>
      t.mutation((ctx) =>
        limiter.penalize(ctx, "api", { key, ...ladder, ...options }),
      ),
    take: (of = key) =>
      t.mutation((ctx) => limiter.limit(ctx, "api", { key: of })),
    set: (change: Change) =>
      t.mutation((ctx) =>
        limiter.setOverride(ctx, "api", { ...change, key } as never),
      ),
    clear: () =>
      t.mutation((ctx) => limiter.clearOverride(ctx, "api", { key })),
    overrides: async () =>
      (await t.query((ctx) => limiter.listOverrides(ctx, firstPage))).page,
    stored: () => stored(t, "overrides"),
    vacuum: () => runInternal(t, "vacuum:vacuum"),
  };
}

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
const banned = (retryAfter: number) => ({ ok: false, retryAfter });

describe("a ban", () => {
  test("holds for one key, to the ms", async () => {
    const { penalize, take } = start();
    expect(await penalize()).toEqual({ retryAfter: 10 * MINUTE });
    expect(await take()).toEqual(banned(10 * MINUTE));
    expect(await take("other")).toEqual({ ok: true });
    later(10 * MINUTE - 1);
    expect(await take()).toEqual(banned(1));
    later(1);
    expect(await take()).toEqual({ ok: true });
  });

  test("is longer each time, and at last as long as the last one", async () => {
    const { penalize, take } = start();
    for (const ban of [10 * MINUTE, HOUR, DAY, DAY, DAY]) {
      expect(await penalize()).toEqual({ retryAfter: ban });
      expect(await take()).toEqual(banned(ban));
      later(ban + HOUR);
      expect(await take()).toEqual({ ok: true });
    }
  });

  test("climbs on during a ban, from now", async () => {
    const { penalize, take, overrides } = start();
    await penalize();
    later(4 * MINUTE);
    expect(await penalize()).toEqual({ retryAfter: HOUR });
    later(MINUTE);
    expect(await penalize()).toEqual({ retryAfter: DAY });
    expect(await take()).toEqual(banned(DAY));
    expect(await overrides()).toHaveLength(1);
  });

  test("never ends earlier for another ladder", async () => {
    const { penalize, take } = start();
    await penalize({ bans: [DAY] });
    expect(await penalize({ bans: [MINUTE] })).toEqual({ retryAfter: DAY });
    expect(await take()).toEqual(banned(DAY));
  });
});

describe("the ladder", () => {
  test.each([
    ["1 ms before that is remembered", -1, HOUR],
    ["then is forgotten", 0, 10 * MINUTE],
  ])("what ended forgetAfter ago: %s", async (_, ms, ban) => {
    const { penalize } = start();
    await penalize();
    later(10 * MINUTE + WEEK + ms);
    expect(await penalize()).toEqual({ retryAfter: ban });
  });

  test("is counted from the end of the last ban", async () => {
    const { penalize } = start();
    await penalize({ bans: [HOUR, DAY, WEEK], forgetAfter: HOUR });
    await penalize({ bans: [HOUR, DAY, WEEK], forgetAfter: HOUR });
    later(DAY + HOUR - 1);
    expect(await penalize()).toEqual({ retryAfter: DAY });
  });

  test("outlives the vacuum until it is forgotten, and then goes", async () => {
    const { penalize, stored, vacuum } = start();
    await penalize();
    later(10 * MINUTE + WEEK - 1);
    await vacuum();
    expect(await penalize()).toEqual({ retryAfter: HOUR });
    later(HOUR + WEEK + HOUR);
    await vacuum();
    expect(await stored()).toHaveLength(1);
    later(1);
    await vacuum();
    expect(await stored()).toEqual([]);
  });

  test("forgets at once with forgetAfter 0", async () => {
    const { penalize } = start();
    await penalize({ forgetAfter: 0 });
    expect(await penalize({ forgetAfter: 0 })).toEqual({ retryAfter: HOUR });
    later(HOUR);
    expect(await penalize({ forgetAfter: 0 })).toEqual({
      retryAfter: 10 * MINUTE,
    });
  });

  test("is of one key and limit", async () => {
    const { t, penalize } = start();
    await penalize();
    const other = await t.mutation((ctx) =>
      limiter.penalize(ctx, "api", { ...ladder, key: "other" }),
    );
    expect(other).toEqual({ retryAfter: 10 * MINUTE });
  });

  test("is forgotten by clearOverride, during the ban and after it", async () => {
    const { penalize, clear, take, stored } = start();
    await penalize();
    await clear();
    expect(await stored()).toEqual([]);
    expect(await take()).toEqual({ ok: true });
    await penalize();
    later(HOUR);
    await clear();
    expect(await penalize()).toEqual({ retryAfter: 10 * MINUTE });
  });
});

describe("beside other overrides of the key, a ban", () => {
  test.each([
    ["a changed rule", { config: { rate: 20 } }],
    ["no limit", { unlimited: true }],
  ] as [string, Change][])(
    "holds before %s, which comes back",
    async (_, change) => {
      const { t, set, penalize, take } = start();
      await set(change);
      await penalize();
      expect(await take()).toEqual(banned(10 * MINUTE));
      later(10 * MINUTE);
      const request = { key: "k", count: 20 };
      const status = await t.mutation((ctx) =>
        limiter.limit(ctx, "api", request),
      );
      expect(status).toEqual({ ok: true });
    },
  );

  test("is lifted by one that is set to hold at once", async () => {
    const { set, penalize, take } = start();
    await penalize();
    await set({ config: { rate: 20 } });
    expect(await take()).toEqual({ ok: true });
  });

  test("is remembered through one that is set after it has ended", async () => {
    const { set, penalize, take } = start();
    await penalize();
    later(HOUR);
    await set({ config: { rate: 20 } });
    expect(await take()).toEqual({ ok: true });
    expect(await penalize()).toEqual({ retryAfter: HOUR });
    expect(await take()).toEqual(banned(HOUR));
  });

  test.each([0, 1])(
    "holds before one that begins at the same ms, also as the second ban: %i before",
    async (before) => {
      const app = start();
      for (let i = 0; i < before; i++) await app.penalize();
      later(10 * MINUTE);
      await app.set({ unlimited: true, startsAt: Date.now() + HOUR });
      later(HOUR);
      const { retryAfter } = await app.penalize();
      expect(await app.take()).toEqual(banned(retryAfter));
    },
  );

  test.each([
    ["no limit", { unlimited: true }],
    ["another rate", { config: { rate: 20 } }],
    ["a shorter ban", { deny: true, expiresAt: MIDNIGHT + 2 * MINUTE }],
  ] as [string, Change][])(
    "holds to its end, whatever begins meanwhile: %s",
    async (_, change) => {
      const { set, penalize, take } = start();
      await set({ ...change, startsAt: MIDNIGHT + MINUTE });
      await penalize();
      expect(await take()).toEqual(banned(10 * MINUTE));
      later(MINUTE);
      expect(await take()).toEqual(banned(9 * MINUTE));
      later(9 * MINUTE - 1);
      expect(await take()).toEqual(banned(1));
      later(1);
      expect(await take()).toEqual({ ok: true });
    },
  );

  test("is lifted by clearOverride and by one that is set to hold at once, also while another one has begun", async () => {
    for (const lift of ["clear", "set"] as const) {
      const app = start();
      await app.set({ config: { rate: 20 }, startsAt: Date.now() + MINUTE });
      await app.penalize();
      later(2 * MINUTE);
      expect(await app.take()).toEqual(banned(8 * MINUTE));
      await (lift === "clear" ? app.clear() : app.set({ unlimited: true }));
      expect(await app.take()).toEqual({ ok: true });
    }
  });
});

describe("a ban is told", () => {
  test("to listOverrides, until it ends", async () => {
    const { penalize, overrides } = start();
    await penalize();
    expect(await overrides()).toEqual([
      {
        name: "api",
        key: "k",
        override: { deny: true },
        startsAt: MIDNIGHT,
        expiresAt: MIDNIGHT + 10 * MINUTE,
        bans: 1,
        forgetAt: MIDNIGHT + 10 * MINUTE + WEEK,
      },
    ]);
    later(10 * MINUTE);
    expect(await overrides()).toEqual([]);
  });

  test("with the note of the last time", async () => {
    const { penalize, overrides } = start();
    for (const given of [{ note: "Spam." }, { note: "Spam again." }, {}]) {
      await penalize(given);
      const [ban] = await overrides();
      expect(ban!.note).toBe(given.note);
    }
  });

  test("to list", async () => {
    const { t, penalize, take } = start();
    await take();
    await penalize();
    const { page } = await t.query((ctx) => limiter.list(ctx, firstPage));
    expect(page).toMatchObject([
      { key: "k", limited: true, override: { deny: true } },
    ]);
  });

  test("to getValue, with what follows", async () => {
    const { t, penalize } = start();
    await penalize();
    const state = await t.query((ctx) =>
      limiter.getValue(ctx, "api", { key: "k" }),
    );
    const at = (now: number) => calculateRateLimit(state, state.config, now, 1);
    expect(state.value).toBe(0);
    expect(at(MIDNIGHT).retryAfter).toBe(10 * MINUTE);
    expect(at(MIDNIGHT + 10 * MINUTE).value).toBe(9);
  });
});

describe("bad input is refused, and nothing is stored", () => {
  test.each([
    [{ bans: [] }, "bans must be a list of at least one time in ms"],
    [{ bans: [0] }, "bans[0] must be a finite number above 0, but is 0"],
    [{ bans: [1, NaN] }, "bans[1] must be a finite number above 0"],
    [{ bans: [1, Infinity] }, "bans[1] must be a finite number above 0"],
    [{ bans: [-1] }, "bans[0] must be a finite number above 0"],
    [{ bans: [HOUR, MINUTE] }, "bans[1] must be at least 3600000"],
    [{ forgetAfter: -1 }, "forgetAfter must be a finite number of at least 0"],
    [{ forgetAfter: NaN }, "forgetAfter must be a finite number of at least 0"],
    [{ forgetAfter: Infinity }, "forgetAfter must be a finite number"],
  ])("%j", async (options, message) => {
    const { penalize, stored } = start();
    await expect(penalize(options)).rejects.toThrow(
      `Rate limit api: ${message}`,
    );
    expect(await stored()).toEqual([]);
  });

  test("no key", async () => {
    const { t, stored } = start();
    const everyone = { ...ladder } as unknown as {
      key: string;
    } & typeof ladder;
    await expect(
      t.mutation((ctx) => limiter.penalize(ctx, "api", everyone)),
    ).rejects.toThrow("key");
    expect(await stored()).toEqual([]);
  });

  test("a limit without overrides", async () => {
    const plain = new RateLimiter(components.rateLimiter, {
      plain: { kind: "token bucket", rate: 1, period: SECOND },
    });
    const name = "plain" as never;
    await startHost().run(async (ctx) => {
      await expect(
        plain.penalize(ctx, name, { key: "k", ...ladder }),
      ).rejects.toThrow("overrides must be true in its config");
    });
  });
});
