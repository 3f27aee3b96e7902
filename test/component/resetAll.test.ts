import {
  HOUR,
  RateLimiter,
  type HoldId,
  type LimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  scheduledJobs,
  startHost,
  stored,
  useNoHousekeeping,
  useStillTimers,
  type Host,
  type HostCtx,
} from "../support/host.js";

useStillTimers();
useNoHousekeeping();

const hourly = { kind: "token bucket", rate: 4, period: HOUR } as const;
const limits = {
  one: { ...hourly, overrides: true },
  split: { ...hourly, shards: 2 },
  strict: { ...hourly, requireKey: true },
  places: { kind: "concurrency", capacity: 2, lease: HOUR },
} as const satisfies Record<string, LimitConfig>;
type Name = keyof typeof limits;
const limiter = new RateLimiter(components.rateLimiter, limits, {
  advice: false,
});

const drain = (t: Host, name: Name, key?: string) =>
  t.mutation((ctx) =>
    name === "places"
      ? limiter.hold(ctx, name, { key, count: 2 })
      : limiter.limit(ctx, name, { key, count: 4 }),
  );
const resetAll = (t: Host, name: Name) =>
  t.mutation((ctx) => limiter.resetAll(ctx, name));
const isResetting = (t: Host, name: Name) =>
  t.query((ctx) => limiter.isResetting(ctx, name));
const finish = (t: Host) =>
  t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 500);

test.each(["one", "split", "strict", "places"] as const)(
  "the limit %s is full for all keys, and no other limit is",
  async (name) => {
    const t = startHost();
    const other = name === "one" ? "split" : "one";
    const keys = name === "strict" ? ["a", "b"] : ["a", "b", undefined];
    for (const key of keys) {
      expect(await drain(t, name, key)).toMatchObject({ ok: true });
      await drain(t, other, key);
    }
    expect(await resetAll(t, name)).toEqual({ isDone: true });
    expect(await isResetting(t, name)).toBe(false);
    for (const key of keys) {
      expect(await drain(t, name, key)).toMatchObject({ ok: true });
      expect(await drain(t, other, key)).toMatchObject({ ok: false });
    }
    expect(await stored(t, "sweeps")).toEqual([]);
  },
);

test("overrides stay", async () => {
  const t = startHost();
  await t.mutation((ctx) =>
    limiter.setOverride(ctx, "one", { key: "a", deny: true }),
  );
  expect(await resetAll(t, "one")).toEqual({ isDone: true });
  expect(await drain(t, "one", "a")).toMatchObject({ ok: false });
});

describe("holds of before", () => {
  const hold = (t: Host, key?: string) =>
    t.mutation((ctx) => limiter.hold(ctx, "one", { key, count: 4 }));
  const release = (t: Host, id: HoldId) =>
    t.mutation((ctx) => limiter.release(ctx, id));

  test("give nothing back afterwards, and say so", async () => {
    const t = startHost();
    for (const key of ["a", undefined]) {
      const { id } = await hold(t, key);
      await resetAll(t, "one");
      expect(await drain(t, "one", key)).toMatchObject({ ok: true });
      expect(await release(t, id!)).toEqual({ settled: false });
      expect(await drain(t, "one", key)).toMatchObject({ ok: false });
    }
  });

  test("end even if no row of their key is left", async () => {
    const t = startHost();
    const { id } = await hold(t, "a");
    await inComponent(t, async ({ db }) => {
      const [row] = await db.query("rateLimits").collect();
      await db.delete("rateLimits", row!._id);
    });
    expect(await resetAll(t, "one")).toEqual({ isDone: true });
    expect(await release(t, id!)).toEqual({ settled: false });
  });

  test.each([
    ["all end", {}, 0],
    ["are kept if they are those of functions", { scheduledId: "1" }, 1500],
  ])("of which a key has 1,500: %s", async (_, fields, left) => {
    const t = startHost();
    await hold(t, "a");
    await inComponent(t, async ({ db }) => {
      const [one] = await db.query("holds").collect();
      const { _id, _creationTime: __, ...rest } = one!;
      await db.delete("holds", _id);
      for (let i = 0; i < 1500; i++) {
        await db.insert("holds", {
          ...rest,
          ...fields,
          expiresAt: rest.expiresAt + i,
        });
      }
    });
    await resetAll(t, "one");
    await finish(t);
    expect(await isResetting(t, "one")).toBe(false);
    const holds = await stored(t, "holds");
    expect(holds).toHaveLength(left);
    expect(holds.every(({ isSettled }) => isSettled)).toBe(true);
    expect(await drain(t, "one", "a")).toMatchObject({ ok: true });
  });
});

describe("more keys than one transaction resets", () => {
  const start = async () => {
    const t = startHost();
    for (let from = 0; from < 250; from += 50) {
      await t.mutation(async (ctx) => {
        for (let i = from; i < from + 50; i++) {
          await limiter.limit(ctx, "one", { key: `k${i}`, count: 4 });
        }
      });
    }
    return t;
  };

  test("are left to one job, and isResetting tells when it has ended", async () => {
    const t = await start();
    expect(await resetAll(t, "one")).toEqual({ isDone: false });
    expect(await resetAll(t, "one")).toEqual({ isDone: false });
    expect(await isResetting(t, "one")).toBe(true);
    expect(await isResetting(t, "split")).toBe(false);
    expect(await scheduledJobs(t)).toHaveLength(1);
    expect(await stored(t, "rateLimits")).toHaveLength(150);
    await finish(t);
    expect(await isResetting(t, "one")).toBe(false);
    expect(await stored(t, "rateLimits")).toEqual([]);
    expect(await stored(t, "sweeps")).toEqual([]);
  });

  test("are reset once: a key that is used after its turn keeps what it used", async () => {
    const t = await start();
    await resetAll(t, "one");
    expect(await drain(t, "one", "k0")).toMatchObject({ ok: true });
    await finish(t);
    expect(await drain(t, "one", "k0")).toMatchObject({ ok: false });
    expect(await drain(t, "one", "k99")).toMatchObject({ ok: true });
  });
});

test("a mutation that has written before leaves all to the job", async () => {
  const t = startHost();
  const answer = await t.mutation(async (ctx: HostCtx) => {
    await limiter.limit(ctx, "one", { key: "a", count: 4 });
    return limiter.resetAll(ctx, "one");
  });
  expect(answer).toEqual({ isDone: false });
  await finish(t);
  expect(await drain(t, "one", "a")).toMatchObject({ ok: true });
});

test("a name that the constructor does not have is refused, unless a config confirms it", async () => {
  const t = startHost();
  const unknown = "on" as Name;
  await expect(resetAll(t, unknown)).rejects.toThrow(
    "Rate limit on is not defined.",
  );
  const config = hourly;
  const answer = await t.mutation((ctx) =>
    limiter.resetAll(ctx, "plan", { config }),
  );
  expect(answer).toEqual({ isDone: true });
  const keyed = { key: "a" } as object;
  await expect(
    t.mutation((ctx) => limiter.resetAll(ctx, "one", keyed)),
  ).rejects.toThrow("key");
});
