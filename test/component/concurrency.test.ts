import {
  calculateRateLimit,
  HOUR,
  MINUTE,
  RateLimiter,
  type LimitConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { startApp } from "../support/startApp.js";
import {
  components,
  MIDNIGHT,
  useStillClock,
  type HostCtx,
} from "../support/host.js";

useStillClock();

const LEASE = 5 * MINUTE;
const places = (capacity: number): LimitConfig => ({
  kind: "concurrency",
  capacity,
  lease: LEASE,
});
const limits = {
  render: { ...places(3), overrides: true },
  dryRun: { ...places(1), enforce: false },
  tokens: { kind: "token bucket", rate: 10, period: HOUR },
} satisfies Record<string, LimitConfig>;

const key = "k";
const at = (ms: number) => void vi.setSystemTime(MIDNIGHT + ms);
const denied = (retryAfter: number) => ({ ok: false, retryAfter });

function start() {
  const app = startApp(limits);
  return {
    ...app,
    hold: (count?: number, of = key) => app.hold("render", { key: of, count }),
    held: (count?: number, of = key) => app.held("render", { key: of, count }),
    override: (what: SetOverrideOptions) => app.setOverride("render", what),
  };
}

test("a hold from when the limit was of another kind takes no place", async () => {
  const { mutate, limiter } = start();
  const now = new RateLimiter(components.rateLimiter, { tokens: places(1) });
  await mutate((ctx) => limiter.hold(ctx, "tokens", { key }));
  const held = await mutate((ctx) => now.hold(ctx, "tokens", { key }));
  expect(held.ok).toBe(true);
});

describe("a concurrency limit", () => {
  test("denies exactly until a lease ends", async () => {
    const { hold, held } = start();
    for (const ms of [0, 1000, 2000]) {
      at(ms);
      await held();
    }
    expect(await hold()).toEqual(denied(LEASE - 2000));
    at(LEASE - 1);
    expect(await hold()).toEqual(denied(1));
    at(LEASE);
    await held();
    expect(await hold()).toEqual(denied(1000));
  });

  test("grants tenths that add up to its capacity", async () => {
    const { hold, held } = start();
    for (let i = 0; i < 30; i++) await held(0.1);
    expect((await hold(0.1)).ok).toBe(false);
  });
});

describe("renew", () => {
  test("gives a full lease from now", async () => {
    const { hold, held, renew } = start();
    const id = await held(3);
    at(LEASE - 1);
    expect(await renew(id)).toEqual({ renewed: true });
    expect(await hold()).toEqual(denied(LEASE));
  });

  test("fails once the lease has ended or was released", async () => {
    const { held, renew, release } = start();
    const id = await held();
    const released = await held();
    await release(released);
    expect(await renew(released)).toEqual({ renewed: false });
    at(LEASE);
    expect(await renew(id)).toEqual({ renewed: false });
    expect(await release(id)).toEqual({ settled: false });
  });

  test("by a clock that stepped back fails if another call has taken the place", async () => {
    const { hold, held, renew } = start();
    const first = await held(3);
    at(LEASE);
    const second = await held(3);
    at(LEASE - 1);
    expect(await renew(first)).toEqual({ renewed: false });
    expect(await hold()).toEqual(denied(1 + LEASE));
    expect(await renew(second)).toEqual({ renewed: true });
  });

  test("by a clock that stepped back does not shorten the lease", async () => {
    const { hold, held, renew } = start();
    at(1000);
    const id = await held(3);
    at(0);
    expect(await renew(id)).toEqual({ renewed: true });
    expect(await hold()).toEqual(denied(1000 + LEASE));
  });

  test("of a hold of another kind is an error", async () => {
    const { mutate, limiter, renew } = start();
    const { id } = await mutate((ctx) => limiter.hold(ctx, "tokens"));
    await expect(renew(id!)).rejects.toThrow(
      "Rate limit tokens: only holds of a concurrency limit have a lease",
    );
  });
});

describe("with overrides,", () => {
  test("a capacity below what is held revokes no lease, and denies until the leases fit", async () => {
    const { hold, held, renew, release, override } = start();
    const [a, b] = [await held(), await held()];
    at(1000);
    await held();
    await override({ key, config: { capacity: 1 } });
    expect(await renew(a)).toEqual({ renewed: true });
    expect(await hold()).toEqual(denied(LEASE));
    await release(a);
    await release(b);
    expect(await hold()).toEqual(denied(LEASE));
    at(1000 + LEASE);
    await held();
    expect((await hold()).ok).toBe(false);
  });

  test("retryAfter accounts for when a raised capacity begins and ends", async () => {
    const { hold, held, override } = start();
    await held(3);
    await override({
      key,
      config: { capacity: 5 },
      startsAt: MIDNIGHT + 1000,
      expiresAt: MIDNIGHT + 2000,
    });
    expect(await hold(2)).toEqual(denied(1000));
    expect(await hold(3)).toEqual(denied(LEASE));
    at(1000);
    await held(2);
    // 5 are held; 3 of them end first, then 2.
    at(2000);
    expect(await hold(1)).toEqual(denied(LEASE - 2000));
    expect(await hold(2)).toEqual(denied(LEASE - 1000));
  });

  test("leases of an unlimited key take no place, but can be renewed and released", async () => {
    const { hold, held, renew, release, override, mutate, limiter } = start();
    await override({ key, unlimited: true });
    const ids = [await held(3), await held(3)];
    await mutate((ctx) => limiter.clearOverride(ctx, "render", { key }));
    await held(3);
    expect(await renew(ids[0]!)).toEqual({ renewed: true });
    expect(await release(ids[1]!)).toEqual({ settled: true });
    expect((await hold()).ok).toBe(false);
  });

  test.for(["rate", "period", "maxReserved"])(
    "an override of %s is an error",
    async (field) => {
      const setting = start().override({ config: { [field]: 1 } });
      await expect(setting).rejects.toThrow(
        `Rate limit render: there is no ${field} in a limit of kind "concurrency".`,
      );
    },
  );
});

test("a dry run grants holds beyond the capacity, which take no place", async () => {
  const { hold, release } = startApp(limits);
  const dry = () => hold("dryRun");
  const first = await dry();
  expect(first).toEqual({ ok: true, id: first.id });
  const second = await dry();
  expect(second).toEqual({ ok: true, id: second.id, wouldDeny: true });
  expect(await release(second.id!)).toEqual({ settled: true });
  expect(await dry()).toMatchObject({ wouldDeny: true });
  await release(first.id!);
  expect(await dry()).not.toHaveProperty("wouldDeny");
});

describe("check and getValue", () => {
  test("check returns what hold would, and holds nothing", async () => {
    const { held, holds, details } = start();
    const check = (count: number) => details("render", { key, count });
    await held(2);
    at(1000);
    expect(await check(1)).toEqual({
      ok: true,
      limit: 3,
      remaining: 0,
      resetAfter: LEASE,
    });
    const resetAfter = LEASE - 1000;
    expect(await check(0)).toMatchObject({ remaining: 1, resetAfter });
    expect(await check(2)).toEqual({
      ...denied(LEASE - 1000),
      limit: 3,
      remaining: 1,
      resetAfter,
    });
    expect(await holds()).toHaveLength(1);
  });

  test("a projection of getValue is what the server will decide", async () => {
    const { held, getValue } = start();
    await held(2);
    at(1000);
    await held(1);
    const told = await getValue("render", { key });
    expect(told).toMatchObject({ value: 0, ts: MIDNIGHT + 1000 });
    const project = (ms: number, count: number) => {
      const now = MIDNIGHT + ms;
      const shown = calculateRateLimit(told, told.config, now, count);
      return [shown.value, shown.retryAfter];
    };
    expect(project(1000, 1)).toEqual([-1, LEASE - 1000]);
    expect(project(1000, 3)).toEqual([-3, LEASE]);
    expect(project(LEASE - 1, 2)).toEqual([-2, 1]);
    expect(project(LEASE, 2)).toEqual([0, undefined]);
    expect(project(LEASE + 1000, 3)).toEqual([0, undefined]);
    expect(project(LEASE + 1000, 4)).toEqual([-1, Infinity]);
  });
});

test("reset ends all holds of its key and of no other", async () => {
  const { hold, held, renew, release, reset } = start();
  const id = await held(3);
  await held(3, "other");
  await reset("render", { key });
  expect(await renew(id)).toEqual({ renewed: false });
  expect(await release(id)).toEqual({ settled: false });
  await held(3);
  expect((await hold(1, "other")).ok).toBe(false);
});

describe("a concurrency limit refuses at run time", () => {
  // This limiter knows no kinds, like that of an app without types.
  type Limiter = ReturnType<typeof start>["limiter"];
  const onlyHeld =
    'Rate limit render: its kind is "concurrency", so its tokens are only held.';
  type Case = [string, (l: Limiter, ctx: HostCtx) => Promise<unknown>, string];
  const calls: Case[] = [
    ["limit", (l, ctx) => l.limit(ctx, "render"), onlyHeld],
    ["charge", (l, ctx) => l.charge(ctx, "render"), onlyHeld],
    ["credit", (l, ctx) => l.credit(ctx, "render"), onlyHeld],
    ["limitAll", (l, ctx) => l.limitAll(ctx, [{ name: "render" }]), onlyHeld],
    ["checkAll", (l, ctx) => l.checkAll(ctx, [{ name: "render" }]), onlyHeld],
    [
      "check with reserve",
      (l, ctx) => l.check(ctx, "render", { reserve: true }),
      "Rate limit render: what is held cannot be reserved.",
    ],
  ];

  test.for(calls)("%s", async ([, call, message]) => {
    const { mutate, limiter, holds } = start();
    const asked = mutate((ctx) => call(limiter, ctx));
    await expect(asked).rejects.toThrow(message);
    expect(await holds()).toEqual([]);
  });
});

test.each([3, 0])(
  "settle with a count of %i, if 3 are held, releases them",
  async (count) => {
    const { mutate, limiter, held, holds } = start();
    const id = await held(3);
    const settled = mutate((ctx) => limiter.settle(ctx, id, { count }));
    expect(await settled).toEqual({ settled: true });
    expect(await holds()).toEqual([]);
  },
);
