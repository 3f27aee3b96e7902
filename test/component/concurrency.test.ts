import {
  calculateRateLimit,
  HOUR,
  MINUTE,
  RateLimiter,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  type HostCtx,
  allPages,
  stored,
} from "../host.js";
import { LeaseLedger } from "../../src/component/stores/holds/ledger.js";

useStillClock();

const LEASE = 5 * MINUTE;
const limiter = new RateLimiter(components.rateLimiter, {
  render: {
    kind: "concurrency",
    capacity: 3,
    lease: LEASE,
    overrides: true,
  },
  dryRun: { kind: "concurrency", capacity: 1, lease: LEASE, enforce: false },
  tokens: { kind: "token bucket", rate: 10, period: HOUR },
});

const key = "k";
const hold = (t: Host, count?: number, of = key) =>
  t.mutation((ctx) => limiter.hold(ctx, "render", { key: of, count }));
const renew = (t: Host, id: string) =>
  t.mutation((ctx) => limiter.renew(ctx, id));
const release = (t: Host, id: string) =>
  t.mutation((ctx) => limiter.release(ctx, id));
const at = (ms: number) => void vi.setSystemTime(MIDNIGHT + ms);
const denied = (retryAfter: number) => ({ ok: false, retryAfter });
const storedHolds = (t: Host) => stored(t, "holds");

/** Holds so much, and fails if it is denied. */
async function mustHold(t: Host, count?: number, of?: string) {
  const held = await hold(t, count, of);
  if (!held.ok) throw new Error("It was denied.");
  return held.id;
}

test("each of its rows is a lease", async () => {
  const t = startHost();
  await mustHold(t, 2);
  await inComponent(t, async (ctx) => {
    const leases = new LeaseLedger(ctx, "render", key, MIDNIGHT);
    const rows = await leases.read();
    expect(rows).toHaveLength(1);
    const [lease] = rows;
    expect(lease).toMatchObject({ value: -2, fullAt: MIDNIGHT + LEASE });
  });
});

test("what was held while the limit was of another kind takes no place", async () => {
  const t = startHost();
  const now = new RateLimiter(components.rateLimiter, {
    tokens: { kind: "concurrency", capacity: 1, lease: LEASE },
  });
  await t.mutation((ctx) => limiter.hold(ctx, "tokens", { key }));
  const held = await t.mutation((ctx) => now.hold(ctx, "tokens", { key }));
  expect(held.ok).toBe(true);
});

describe("at most the capacity is held at once", () => {
  test("the next one is denied until the first lease ends, to the ms", async () => {
    const t = startHost();
    for (const ms of [0, 1000, 2000]) {
      at(ms);
      await mustHold(t);
    }
    expect(await hold(t)).toEqual(denied(LEASE - 2000));
    at(LEASE - 1);
    expect(await hold(t)).toEqual(denied(1));
    at(LEASE);
    expect((await hold(t)).ok).toBe(true);
    expect(await hold(t)).toEqual(denied(1000));
  });

  test("a large count waits until so many have ended", async () => {
    const t = startHost();
    await mustHold(t, 2);
    at(1000);
    await mustHold(t, 1);
    expect(await hold(t, 2)).toEqual(denied(LEASE - 1000));
    expect(await hold(t, 3)).toEqual(denied(LEASE));
  });

  test("release makes room at once, and only once", async () => {
    const t = startHost();
    const id = await mustHold(t, 3);
    expect(await release(t, id)).toEqual({ settled: true });
    expect(await release(t, id)).toEqual({ settled: false });
    await mustHold(t, 3);
    expect((await hold(t)).ok).toBe(false);
  });

  test("keys do not share places", async () => {
    const t = startHost();
    await mustHold(t, 3);
    await mustHold(t, 3, "other");
    expect((await hold(t)).ok).toBe(false);
  });

  test("several calls in one mutation see each other", async () => {
    const t = startHost();
    const said = await t.mutation(async (ctx) => {
      const two = await limiter.hold(ctx, "render", { key, count: 2 });
      const tooMany = await limiter.hold(ctx, "render", { key, count: 2 });
      await limiter.release(ctx, two.id!);
      const three = await limiter.hold(ctx, "render", { key, count: 3 });
      return [two.ok, tooMany.ok, three.ok];
    });
    expect(said).toEqual([true, false, true]);
  });

  test("no row of the other tables is written", async () => {
    const t = startHost();
    await mustHold(t);
    expect(await storedRows(t)).toEqual([]);
    expect(await storedHolds(t)).toHaveLength(1);
  });

  test("tenths that sum up to the capacity fit", async () => {
    const t = startHost();
    for (let i = 0; i < 30; i++) await mustHold(t, 0.1);
    expect((await hold(t, 0.1)).ok).toBe(false);
  });

  test("more than the capacity is never granted, and says so", async () => {
    const t = startHost();
    await expect(hold(t, 4)).rejects.toMatchObject({
      data: { kind: "ExceedsCapacity", name: "render", count: 4, max: 3 },
    });
  });
});

describe("renew", () => {
  test("gives a full lease from now", async () => {
    const t = startHost();
    const id = await mustHold(t, 3);
    at(LEASE - 1);
    expect(await renew(t, id)).toEqual({ renewed: true });
    expect(await hold(t)).toEqual(denied(LEASE));
  });

  test.for<[ms: number, renewed: boolean]>([
    [LEASE - 1, true],
    [LEASE, false],
    [LEASE + 1, false],
  ])("after %d ms: renewed is %s", async ([ms, renewed]) => {
    const t = startHost();
    const id = await mustHold(t);
    at(ms);
    expect(await renew(t, id)).toEqual({ renewed });
    expect(await release(t, id)).toEqual({ settled: renewed });
  });

  test("what was released is not renewed", async () => {
    const t = startHost();
    const id = await mustHold(t);
    await release(t, id);
    expect(await renew(t, id)).toEqual({ renewed: false });
  });

  test("a place that another has taken does not come back by a clock that stepped back", async () => {
    const t = startHost();
    const first = await mustHold(t, 3);
    at(LEASE);
    const second = await mustHold(t, 3);
    at(LEASE - 1);
    expect(await renew(t, first)).toEqual({ renewed: false });
    expect(await hold(t)).toEqual(denied(1 + LEASE));
    expect(await renew(t, second)).toEqual({ renewed: true });
  });

  test("by a clock that stepped back it does not shorten the lease", async () => {
    const t = startHost();
    at(1000);
    const id = await mustHold(t, 3);
    at(0);
    expect(await renew(t, id)).toEqual({ renewed: true });
    expect(await hold(t)).toEqual(denied(1000 + LEASE));
  });

  test("a hold of another kind has no lease", async () => {
    const t = startHost();
    const held = await t.mutation((ctx) => limiter.hold(ctx, "tokens"));
    await expect(renew(t, held.id!)).rejects.toThrow(
      'Rate limit tokens: only what is held of kind "concurrency" has a lease',
    );
  });
});

describe("overrides", () => {
  type What = Parameters<typeof limiter.setOverride>[2];
  const override = (t: Host, what: What) =>
    t.mutation((ctx) => limiter.setOverride(ctx, "render", what));

  test("a capacity below what is held revokes nothing and grants nothing until it fits", async () => {
    const t = startHost();
    const [a, b] = [await mustHold(t), await mustHold(t)];
    at(1000);
    await mustHold(t);
    await override(t, { key, config: { capacity: 1 } });
    expect(await renew(t, a)).toEqual({ renewed: true });
    expect(await hold(t)).toEqual(denied(LEASE));
    await release(t, a);
    await release(t, b);
    expect(await hold(t)).toEqual(denied(LEASE));
    at(1000 + LEASE);
    await mustHold(t);
    expect((await hold(t)).ok).toBe(false);
  });

  test("retryAfter knows when a capacity begins and ends", async () => {
    const t = startHost();
    await mustHold(t, 3);
    await override(t, {
      key,
      config: { capacity: 5 },
      startsAt: MIDNIGHT + 1000,
      expiresAt: MIDNIGHT + 2000,
    });
    expect(await hold(t, 2)).toEqual(denied(1000));
    expect(await hold(t, 3)).toEqual(denied(LEASE));
    at(1000);
    await mustHold(t, 2);
    // 5 are held, of which 2 end after the first 3.
    at(2000);
    expect(await hold(t, 1)).toEqual(denied(LEASE - 2000));
    expect(await hold(t, 2)).toEqual(denied(LEASE - 1000));
  });

  test("a ban denies until it ends, and what is held goes on", async () => {
    const t = startHost();
    const id = await mustHold(t);
    await override(t, { key, deny: true, expiresAt: MIDNIGHT + MINUTE });
    expect(await hold(t)).toEqual(denied(MINUTE));
    expect(await renew(t, id)).toEqual({ renewed: true });
    expect(await release(t, id)).toEqual({ settled: true });
  });

  test("an unlimited key holds nothing of it, and can renew and release", async () => {
    const t = startHost();
    await override(t, { key, unlimited: true });
    const ids = [await mustHold(t, 3), await mustHold(t, 3)];
    await t.mutation((ctx) => limiter.clearOverride(ctx, "render", { key }));
    await mustHold(t, 3);
    expect(await renew(t, ids[0]!)).toEqual({ renewed: true });
    expect(await release(t, ids[1]!)).toEqual({ settled: true });
    expect((await hold(t)).ok).toBe(false);
  });

  test.for(["rate", "period", "maxReserved"])(
    "one that changes the %s is an error",
    async (field) => {
      const t = startHost();
      await expect(override(t, { config: { [field]: 1 } })).rejects.toThrow(
        `Rate limit render: there is no ${field} in a limit of kind "concurrency".`,
      );
    },
  );
});

test("a dry run denies nothing, and holds no more than the capacity", async () => {
  const t = startHost();
  const dry = () => t.mutation((ctx) => limiter.hold(ctx, "dryRun"));
  const first = await dry();
  expect(first).toEqual({ ok: true, id: first.id });
  const second = await dry();
  expect(second).toEqual({ ok: true, id: second.id, wouldDeny: true });
  expect(await release(t, second.id!)).toEqual({ settled: true });
  const third = await dry();
  expect(third).toMatchObject({ wouldDeny: true });
  await release(t, first.id!);
  expect(await dry()).not.toHaveProperty("wouldDeny");
});

describe("what is told", () => {
  const check = (t: Host, count?: number) =>
    t.query((ctx) =>
      limiter.check(ctx, "render", { key, count, details: true }),
    );

  test("check says what hold would, and holds nothing", async () => {
    const t = startHost();
    await mustHold(t, 2);
    at(1000);
    expect(await check(t)).toEqual({
      ok: true,
      limit: 3,
      remaining: 0,
      resetAfter: LEASE,
    });
    expect(await check(t, 0)).toMatchObject({
      remaining: 1,
      resetAfter: LEASE - 1000,
    });
    expect(await check(t, 2)).toEqual({
      ...denied(LEASE - 1000),
      limit: 3,
      remaining: 1,
      resetAfter: LEASE - 1000,
    });
    expect(await storedHolds(t)).toHaveLength(1);
  });

  test("what getValue gave is projected as the server will", async () => {
    const t = startHost();
    await mustHold(t, 2);
    at(1000);
    await mustHold(t, 1);
    const value = await t.query((ctx) =>
      limiter.getValue(ctx, "render", { key }),
    );
    expect(value).toMatchObject({ value: 0, ts: MIDNIGHT + 1000 });
    const project = (ms: number, count: number) => {
      const { value: left, retryAfter } = calculateRateLimit(
        value,
        value.config,
        MIDNIGHT + ms,
        count,
      );
      return [left, retryAfter];
    };
    expect(project(1000, 1)).toEqual([-1, LEASE - 1000]);
    expect(project(1000, 3)).toEqual([-3, LEASE]);
    expect(project(LEASE - 1, 2)).toEqual([-2, 1]);
    expect(project(LEASE, 2)).toEqual([0, undefined]);
    expect(project(LEASE + 1000, 3)).toEqual([0, undefined]);
    expect(project(LEASE + 1000, 4)).toEqual([-1, Infinity]);
  });

  test("what getValue gave of a dry run waits for as many leases as it takes", async () => {
    const t = startHost();
    const config = {
      kind: "concurrency",
      capacity: 2,
      lease: LEASE,
      enforce: false,
    } as const;
    for (const ms of [0, 1000]) {
      at(ms);
      await t.mutation((ctx) => limiter.hold(ctx, "inline", { config }));
    }
    const value = await t.query((ctx) =>
      limiter.getValue(ctx, "inline", { config }),
    );
    const wait = (count: number) =>
      calculateRateLimit(value, value.config, MIDNIGHT + 1000, count)
        .retryAfter;
    expect([wait(1), wait(2)]).toEqual([LEASE - 1000, LEASE]);
  });

  test("a key that nobody holds is free", async () => {
    const t = startHost();
    const value = await t.query((ctx) => limiter.getValue(ctx, "render"));
    expect(value).toMatchObject({ value: 3, shard: 0 });
    expect(calculateRateLimit(value, value.config, MIDNIGHT, 3)).toMatchObject({
      value: 0,
      retryAfter: undefined,
    });
  });

  test("list shows the keys that hold, each once, after the other limits", async () => {
    const t = startHost();
    await t.mutation((ctx) => limiter.limit(ctx, "tokens", { key: "z" }));
    at(1000);
    for (const of of ["a", "b", "b", "c"]) await mustHold(t, 1, of);
    const listed = await allPages((cursor) =>
      t.query((ctx) =>
        limiter.list(ctx, { paginationOpts: { numItems: 2, cursor } }),
      ),
    );
    const shown = listed.map(({ name, key, balance }) => [name, key, balance]);
    expect(shown).toEqual([
      ["tokens", "z", expect.closeTo(9, 1)],
      ["render", "a", 2],
      ["render", "b", 1],
      ["render", "c", 2],
    ]);
    expect(listed[2]).toEqual({
      name: "render",
      key: "b",
      balance: 1,
      shards: [1],
      capacity: 3,
      usedAt: MIDNIGHT + 1000,
      limited: false,
    });
  });

  test("list does not show what has ended", async () => {
    const t = startHost();
    await mustHold(t, 1, "a");
    at(LEASE);
    const listed = await allPages((cursor) =>
      t.query((ctx) =>
        limiter.list(ctx, {
          name: "render",
          paginationOpts: { numItems: 10, cursor },
        }),
      ),
    );
    expect(listed).toEqual([]);
  });
});

test("reset ends all holds of the key, and of no other", async () => {
  const t = startHost();
  const id = await mustHold(t, 3);
  await mustHold(t, 3, "other");
  await t.mutation((ctx) => limiter.reset(ctx, "render", { key }));
  expect(await renew(t, id)).toEqual({ renewed: false });
  expect(await release(t, id)).toEqual({ settled: false });
  await mustHold(t, 3);
  expect((await hold(t, 1, "other")).ok).toBe(false);
});

describe("what a limit of this kind does not have is an error at run time", () => {
  // As an app without types calls it.
  const loose = limiter as unknown as RateLimiter<
    Record<string, { kind: "token bucket"; rate: number; period: number }>
  >;
  const onlyHeld =
    'Rate limit render: its kind is "concurrency", so its tokens are only held.';
  const calls: [string, string, (ctx: HostCtx) => Promise<unknown>][] = [
    ["limit", onlyHeld, (ctx) => loose.limit(ctx, "render")],
    ["charge", onlyHeld, (ctx) => loose.charge(ctx, "render")],
    ["credit", onlyHeld, (ctx) => loose.credit(ctx, "render")],
    ["limitAll", onlyHeld, (ctx) => loose.limitAll(ctx, [{ name: "render" }])],
    ["checkAll", onlyHeld, (ctx) => loose.checkAll(ctx, [{ name: "render" }])],
    [
      "check with reserve",
      "Rate limit render: what is held cannot be reserved.",
      (ctx) => loose.check(ctx, "render", { reserve: true }),
    ],
    [
      "hold with expiresAfter",
      "Rate limit render: expiresAfter must be absent, for it has a lease, but is 1.",
      (ctx) => loose.hold(ctx, "render", { expiresAfter: 1 }),
    ],
    [
      "settle with another count",
      'Rate limit render: its kind is "concurrency", so what is held is released, and not settled with a count of 2.',
      async (ctx) => {
        const { id } = await loose.hold(ctx, "render", { count: 3 });
        return loose.settle(ctx, id!, { count: 2 });
      },
    ],
  ];

  test.for(calls)("%s", async ([, message, call]) => {
    const t = startHost();
    await expect(t.mutation((ctx) => call(ctx))).rejects.toThrow(message);
    expect(await storedHolds(t)).toEqual([]);
  });

  test("but to settle with just the count is to release", async () => {
    const t = startHost();
    const settled = await t.mutation(async (ctx) => {
      const { id } = await loose.hold(ctx, "render", { count: 3 });
      return loose.settle(ctx, id!, { count: 3 });
    });
    expect(settled).toEqual({ settled: true });
    expect(await storedHolds(t)).toEqual([]);
  });
});
