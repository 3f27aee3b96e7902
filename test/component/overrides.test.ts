import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  type HostCtx,
  stored,
} from "../host.js";

useStillClock();

const limits = {
  api: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    overrides: true,
  },
  plain: { kind: "token bucket", rate: 10, period: MINUTE },
  dry: { kind: "token bucket", rate: 2, period: MINUTE, enforce: false },
} as const;

const limiter = new RateLimiter(components.rateLimiter, limits);

const firstPage = { paginationOpts: { numItems: 100, cursor: null } };

type Change = Parameters<typeof limiter.setOverride>[2];

function start() {
  const t = startHost();
  return {
    t,
    set: (change: Change) =>
      t.mutation((ctx) => limiter.setOverride(ctx, "api", change)),
    clear: (key?: string) =>
      t.mutation((ctx) => limiter.clearOverride(ctx, "api", { key })),
    take: (key: string | undefined, count = 1) =>
      t.mutation((ctx) => limiter.limit(ctx, "api", { key, count })),
    overrides: async () =>
      (await t.query((ctx) => limiter.listOverrides(ctx, firstPage))).page,
  };
}

const denied = (retryAfter: number) => ({ ok: false, retryAfter });
const granted = { ok: true };

describe("a changed rule", () => {
  test("holds for one key, from the next transaction on, and is gone when cleared", async () => {
    const { set, clear, take } = start();
    await set({ key: "pro", config: { rate: 20 } });
    expect(await take("pro", 20)).toEqual(granted);
    expect(await take("pro")).toEqual(denied(3_000));
    await expect(take("free", 20)).rejects.toThrow("exceeds 10");
    await clear("pro");
    await expect(take("pro", 20)).rejects.toThrow("exceeds 10");
  });

  test.each([
    ["capacity", { capacity: 3 }, 3],
    ["rate", { rate: 4 }, 4],
    ["rate and capacity", { rate: 1, capacity: 30 }, 30],
  ])("may change %s", async (_, config, most) => {
    const { set, take } = start();
    await set({ config });
    expect(await take("k", most)).toEqual(granted);
    expect(await take("k")).toMatchObject({ ok: false });
  });

  test("may change period and maxReserved", async () => {
    const { t, set } = start();
    await set({ config: { period: HOUR, maxReserved: 1 } });
    const reserve = (count: number) =>
      t.mutation((ctx) => limiter.limit(ctx, "api", { count, reserve: true }));
    expect(await reserve(11)).toEqual({ ok: true, retryAfter: HOUR / 10 });
    expect(await reserve(1)).toEqual(denied(HOUR / 10));
  });

  test("shows in getValue", async () => {
    const { t, set } = start();
    await set({ key: "pro", config: { rate: 20 } });
    expect(
      await t.query((ctx) => limiter.getValue(ctx, "api", { key: "pro" })),
    ).toMatchObject({ value: 20, config: { rate: 20, capacity: 20 } });
  });

  test.each([
    ["rate", 0],
    ["rate", NaN],
    ["period", -1],
    ["capacity", Infinity],
    ["maxReserved", -1],
  ])("to %s %d is refused", async (field, value) => {
    const { set, overrides } = start();
    await expect(set({ config: { [field]: value } })).rejects.toThrow(
      `Rate limit api: ${field} must be`,
    );
    expect(await overrides()).toEqual([]);
  });
});

test("a ban denies until it expires, and consumes nothing", async () => {
  const { t, set, take } = start();
  await set({ key: "bad", deny: true, expiresAt: MIDNIGHT + HOUR });
  expect(await take("bad")).toEqual(denied(HOUR));
  expect(await take("bad", 0)).toEqual(denied(HOUR));
  expect(await take("good")).toEqual(granted);
  expect(await storedRows(t)).toHaveLength(1);
  vi.setSystemTime(MIDNIGHT + HOUR - 1);
  expect(await take("bad")).toEqual(denied(1));
  vi.setSystemTime(MIDNIGHT + HOUR);
  expect(await take("bad")).toEqual(granted);
});

test("a ban without end says to come back in a period", async () => {
  const { set, take } = start();
  await set({ deny: true });
  expect(await take(undefined)).toEqual(denied(MINUTE));
  expect(await take("anyone")).toEqual(denied(MINUTE));
});

test("unlimited grants anything, consumes nothing, and can be given details", async () => {
  const { t, set } = start();
  await set({ key: "vip", unlimited: true });
  expect(
    await t.mutation(async (ctx) => [
      await limiter.limit(ctx, "api", { key: "vip", count: 1e9 }),
      await limiter.limit(ctx, "api", { key: "vip", details: true }),
      await limiter.credit(ctx, "api", { key: "vip" }),
      await limiter.charge(ctx, "api", { key: "vip", count: 1e9 }),
    ]),
  ).toEqual([
    { ok: true },
    { ok: true, limit: 10, remaining: 10, resetAfter: 0 },
    { credited: 0 },
    {},
  ]);
  expect(await storedRows(t)).toEqual([]);
});

describe("of two, the key's own wins", () => {
  test.each([
    ["a ban of all but one", { deny: true }, { unlimited: true }, granted],
    ["a ban of one", { unlimited: true }, { deny: true }, denied(MINUTE)],
  ] as [string, Change, Change, object][])(
    "%s",
    async (_, forAll, forOne, answer) => {
      const { set, take } = start();
      await set(forAll);
      await set({ ...forOne, key: "m" });
      expect(await take("m")).toEqual(answer);
      for (const other of ["a", "z", undefined]) {
        expect(await take(other)).toEqual(
          "deny" in forAll ? denied(MINUTE) : granted,
        );
      }
    },
  );

  test("expired, it leaves the limit's in force", async () => {
    const { set, take } = start();
    await set({ deny: true });
    await set({ key: "m", unlimited: true, expiresAt: MIDNIGHT + 1 });
    expect(await take("m")).toEqual(granted);
    vi.setSystemTime(MIDNIGHT + 1);
    expect(await take("m")).toEqual(denied(MINUTE));
  });
});

describe("beside the key's own, the limit's is known", () => {
  const ofLimit = { config: { rate: 20 } };
  const none = { key: "k", config: { capacity: 0 } };

  test("when the key's own ends: a denial waits for it", async () => {
    const { set, take } = start();
    await set(ofLimit);
    await set({ ...none, expiresAt: MIDNIGHT + 30_000 });
    expect(await take("k", 15)).toEqual(denied(30_000));
  });

  test("until the key's own begins", async () => {
    const { set, take } = start();
    await set(ofLimit);
    await set({ ...none, startsAt: MIDNIGHT + HOUR });
    expect(await take("k", 15)).toEqual(granted);
  });

  test("below a ban without end, as what is given back goes by it", async () => {
    const { t, set } = start();
    await set(ofLimit);
    await set({ key: "k", deny: true });
    const { segments } = await t.query((ctx) =>
      limiter.getValue(ctx, "api", { key: "k" }),
    );
    expect(segments).toMatchObject([
      { effect: "banned", config: { rate: 20, capacity: 20 } },
    ]);
  });
});

test("setting replaces the one that was there, with its expiry and note", async () => {
  const { set, overrides } = start();
  await set({ key: "k", deny: true, expiresAt: MIDNIGHT + 5, note: "spam" });
  await set({ key: "k", unlimited: true });
  expect(await overrides()).toEqual([
    { name: "api", key: "k", override: { unlimited: true } },
  ]);
});

test("a limit without overrides: true refuses one, and looks for none", async () => {
  const { t } = start();
  await expect(
    t.mutation((ctx) =>
      // @ts-expect-error The types refuse it too.
      limiter.setOverride(ctx, "plain", { deny: true }),
    ),
  ).rejects.toThrow("overrides must be true");
  await inComponent(t, ({ db }) =>
    db.insert("overrides", { name: "plain", override: { deny: true } }),
  );
  expect(await t.mutation((ctx) => limiter.limit(ctx, "plain"))).toEqual(
    granted,
  );
});

describe("what it costs", () => {
  const queries = async (key: string | undefined, others: Change[]) => {
    const { t, set } = start();
    for (const change of others) await set(change);
    const count = (run: (ctx: HostCtx) => Promise<unknown>) =>
      t.mutation(async (ctx) => {
        await run(ctx);
        return (await ctx.meta.getTransactionMetrics()).databaseQueries.used;
      });
    return {
      with: await count((ctx) => limiter.limit(ctx, "api", { key })),
      without: await count((ctx) => limiter.limit(ctx, "plain", { key })),
    };
  };

  test.each([
    ["there is none", "m", []],
    ["there is one for the limit", "m", [{ config: { rate: 9 } }]],
    ["there is one for the key", "m", [{ key: "m", config: { rate: 9 } }]],
    ["there are both", "m", [{ deny: true }, { key: "m", unlimited: true }]],
    ["there is one for a later key", "m", [{ key: "z", config: { rate: 9 } }]],
    ["there is no key", undefined, [{ key: "a", config: { rate: 9 } }]],
    [
      "the key's own holds for ever, and another key's is in between",
      "m",
      [
        { key: "a", config: { rate: 9 } },
        { key: "m", config: { rate: 9 } },
      ],
    ],
    [
      "the key's own begins now, and another key's is in between",
      "m",
      [
        { key: "a", config: { rate: 9 } },
        { key: "m", config: { rate: 9 }, startsAt: MIDNIGHT },
      ],
    ],
  ] as [string, string | undefined, Change[]][])(
    "one more look in the index when %s",
    async (_, key, others) => {
      const { with: withOverrides, without } = await queries(key, others);
      const rowless = others.some((o) => "unlimited" in o && o.key === key);
      expect(withOverrides).toBe(rowless ? 1 : without + 1);
    },
  );

  test("a second one when another key's is in between", async () => {
    const { with: withOverrides, without } = await queries("m", [
      { key: "a", config: { rate: 9 } },
    ]);
    expect(withOverrides).toBe(without + 2);
  });
});

describe("a dry run", () => {
  const dry = (t: ReturnType<typeof startHost>, count: number) =>
    t.mutation((ctx) =>
      limiter.limit(ctx, "dry", { count, throws: true, details: true }),
    );

  test("consumes when it can, never denies, and says when it would have", async () => {
    const { t } = start();
    expect(await dry(t, 1)).toMatchObject({ ok: true, remaining: 1 });
    const over = await dry(t, 2);
    expect(over).toEqual({
      ok: true,
      wouldDeny: true,
      limit: 2,
      remaining: 1,
      resetAfter: 30_000,
    });
    expect(await dry(t, 1)).toEqual({
      ok: true,
      limit: 2,
      remaining: 0,
      resetAfter: 60_000,
    });
  });

  test("asks nobody to wait for a debt that it did not make", async () => {
    const { t } = start();
    await t.mutation((ctx) => limiter.charge(ctx, "dry", { count: 5 }));
    expect(await t.mutation((ctx) => limiter.limit(ctx, "dry"))).toEqual({
      ok: true,
      wouldDeny: true,
    });
  });

  test("does not throw for what could never be granted", async () => {
    const { t } = start();
    expect(await dry(t, 100)).toMatchObject({ ok: true, wouldDeny: true });
    expect(await storedRows(t)).toEqual([]);
  });

  test("does not enforce a ban", async () => {
    const { t } = start();
    const config = { ...limits.dry, overrides: true };
    const both = new RateLimiter(components.rateLimiter, { config });
    await t.mutation((ctx) => both.setOverride(ctx, "config", { deny: true }));
    expect(await t.mutation((ctx) => both.limit(ctx, "config"))).toEqual({
      ok: true,
      wouldDeny: true,
    });
  });
});

describe("the times of an override", () => {
  const { overrides: functions } = components.rateLimiter;
  const ask = (times: { startsAt?: number; expiresAt?: number }) =>
    startHost().mutation((ctx) =>
      ctx.runMutation(functions.setOverride, {
        name: "api",
        override: { deny: true },
        ...times,
      }),
    );

  test.each([
    ["no times at all", {}],
    ["an end in the next ms", { expiresAt: MIDNIGHT + 1 }],
    ["a beginning long ago", { startsAt: 1, expiresAt: MIDNIGHT + 1 }],
    [
      "an end after a beginning",
      { startsAt: HOUR + MIDNIGHT, expiresAt: MIDNIGHT + HOUR + 1 },
    ],
    ["a beginning without an end", { startsAt: MIDNIGHT + HOUR }],
  ])("%s: are taken", async (_, times) => {
    expect(await ask(times)).toBeNull();
  });

  test.each([
    [
      "an end that is now",
      { expiresAt: MIDNIGHT },
      "expiresAt must be in the future and after startsAt",
    ],
    [
      "an end before now, after a beginning",
      { startsAt: 1, expiresAt: 2 },
      "expiresAt must be in the future and after startsAt",
    ],
    [
      "an end with the beginning",
      { startsAt: MIDNIGHT + HOUR, expiresAt: MIDNIGHT + HOUR },
      "expiresAt must be in the future and after startsAt",
    ],
    [
      "a beginning that is no time",
      { startsAt: NaN },
      "startsAt must be a finite number",
    ],
    [
      "an end that is no time",
      { expiresAt: Infinity },
      "expiresAt must be a finite number",
    ],
  ])("%s: are refused", async (_, times, message) => {
    await expect(ask(times)).rejects.toThrow(`Rate limit api: ${message}`);
  });
});

describe("an override that is still to begin", () => {
  const startsAt = MIDNIGHT + HOUR;

  test("stands beside the one that holds, whichever was set first, and takes its place", async () => {
    for (const isFirst of [true, false]) {
      vi.setSystemTime(MIDNIGHT);
      const { set, take, overrides } = start();
      const coming = { key: "k", unlimited: true, startsAt } as const;
      if (isFirst) await set(coming);
      await set({ key: "k", deny: true });
      if (!isFirst) await set(coming);
      expect(await overrides()).toHaveLength(2);
      expect(await take("k")).toEqual(denied(HOUR));
      vi.setSystemTime(startsAt);
      expect(await take("k", 1000)).toEqual(granted);
    }
  });

  test("replaces another that was, and one that has begun is replaced by one that holds", async () => {
    const { set, overrides } = start();
    await set({ key: "k", deny: true, startsAt });
    await set({ key: "k", unlimited: true, startsAt: startsAt + 1 });
    expect(await overrides()).toMatchObject([
      { override: { unlimited: true } },
    ]);
    vi.setSystemTime(startsAt + 1);
    await set({ key: "k", deny: true });
    expect(await overrides()).toEqual([
      { name: "api", key: "k", override: { deny: true } },
    ]);
  });

  test("leaves the key's own in force, and the limit's when that ends", async () => {
    const { set, take } = start();
    await set({ deny: true });
    await set({ key: "k", unlimited: true, expiresAt: MIDNIGHT + 10 });
    await set({ key: "k", unlimited: true, startsAt });
    expect(await take("k", 50)).toEqual(granted);
    vi.setSystemTime(MIDNIGHT + 10);
    expect(await take("k")).toEqual(denied(HOUR - 10));
  });
});

test("of many changes of plan, at most two rows stay, and only these are read and listed", async () => {
  const { t, set, overrides } = start();
  for (let month = 1; month <= 12; month++) {
    const startsAt = Date.now() + HOUR;
    await set({ key: "pro", config: { rate: 10 + month }, startsAt });
    vi.setSystemTime(startsAt);
    expect(await overrides()).toHaveLength(1);
  }
  expect(await stored(t, "overrides")).toHaveLength(2);
  expect(await overrides()).toMatchObject([
    { override: { config: { rate: 22 } } },
  ]);
  await set({ key: "pro", config: { rate: 5 }, startsAt: Date.now() + HOUR });
  expect(await stored(t, "overrides")).toHaveLength(2);
});

test("what lasts applies again after an override that began and ended", async () => {
  const { set, take } = start();
  await set({ key: "pro", config: { rate: 20 } });
  await set({
    key: "pro",
    config: { rate: 40 },
    startsAt: MIDNIGHT + HOUR,
    expiresAt: MIDNIGHT + 2 * HOUR,
  });
  vi.setSystemTime(MIDNIGHT + HOUR);
  await set({ key: "pro", unlimited: true, startsAt: MIDNIGHT + 3 * HOUR });
  expect(await take("pro", 40)).toEqual(granted);
  vi.setSystemTime(MIDNIGHT + 2 * HOUR);
  expect(await take("pro", 20)).toEqual(granted);
});
