import { DAY, HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
  type Host,
  stored,
  runInternal,
} from "../host.js";

useStillClock();

const denials: unknown[] = [];
const limiter = new RateLimiter(
  components.rateLimiter,
  {
    tokens: { kind: "token bucket", rate: 100, period: HOUR, overrides: true },
    quota: { kind: "fixed window", rate: 100, period: DAY, start: 0 },
    split: { kind: "token bucket", rate: 100, period: HOUR, shards: 4 },
    dryRun: { kind: "token bucket", rate: 100, period: HOUR, enforce: false },
  },
  { onDenied: (_ctx, denial) => void denials.push(denial) },
);
type Name = "tokens" | "quota" | "split" | "dryRun";

const storedHolds = (t: Host) => stored(t, "holds");

const balance = (t: Host, name: Name, key?: string) =>
  t.query(async (ctx) => {
    const { value } = await limiter.getValue(ctx, name, { key });
    return Math.round(value * 1e6) / 1e6;
  });

async function hold(t: Host, name: Name, count: number, expiresAfter?: number) {
  const held = await t.mutation((ctx) =>
    limiter.hold(ctx, name, { count, expiresAfter }),
  );
  if (!held.ok) throw new Error("It was denied.");
  return held.id;
}

const settle = (t: Host, id: string, count: number) =>
  t.mutation((ctx) => limiter.settle(ctx, id, { count }));
const release = (t: Host, id: string) =>
  t.mutation((ctx) => limiter.release(ctx, id));

describe("settle replaces what was taken by what was used", () => {
  test.for<[Name, used: number, left: number]>([
    ["tokens", 10, 90],
    ["tokens", 40, 60],
    ["tokens", 0, 100],
    ["tokens", 130, -30],
    ["tokens", 39.5, 60.5],
    ["quota", 10, 90],
    ["quota", 130, -30],
    ["split", 10, 90],
    ["split", 130, -30],
    ["dryRun", 10, 90],
  ])("%s, once: 40 held, %d used, %d left", async ([name, used, left]) => {
    const t = startHost();
    const id = await hold(t, name, 40);
    expect(await balance(t, name)).toBe(60);
    expect(await settle(t, id, used)).toEqual({ settled: true });
    expect(await settle(t, id, 100)).toEqual({ settled: false });
    expect(await release(t, id)).toEqual({ settled: false });
    expect(await balance(t, name)).toBe(left);
    expect(await storedHolds(t)).toEqual([]);
  });

  test("several calls in one mutation see each other", async () => {
    const t = startHost();
    const said = await t.mutation(async (ctx) => {
      const a = await limiter.hold(ctx, "split", { count: 60 });
      const tooMuch = await limiter.hold(ctx, "split", { count: 60 });
      const settled = [
        await limiter.settle(ctx, a.id!, { count: 20 }),
        await limiter.settle(ctx, a.id!, { count: 0 }),
      ];
      const b = await limiter.hold(ctx, "split", { count: 60 });
      return { tooMuch: tooMuch.ok, settled, b: b.ok };
    });
    expect(said).toEqual({
      tooMuch: false,
      settled: [{ settled: true }, { settled: false }],
      b: true,
    });
    expect(await balance(t, "split")).toBe(20);
  });

  test("what has refilled meanwhile is not given twice", async () => {
    const t = startHost();
    const id = await hold(t, "tokens", 40);
    vi.setSystemTime(MIDNIGHT + HOUR / 5);
    expect(await release(t, id)).toEqual({ settled: true });
    expect(await balance(t, "tokens")).toBe(100);
  });
});

describe("a hold that nobody settles", () => {
  test.for<[ms: number, settled: boolean]>([
    [DAY - 1, true],
    [DAY, false],
    [DAY + 1, false],
  ])(
    "is over after a day: %d ms later, settled is %s",
    async ([ms, settled]) => {
      const t = startHost();
      const id = await hold(t, "quota", 40);
      vi.setSystemTime(MIDNIGHT + ms);
      expect(await release(t, id)).toEqual({ settled });
    },
  );

  test("goes with the vacuum, which leaves the others", async () => {
    const t = startHost();
    const over = await hold(t, "quota", 1, MINUTE);
    const running = await hold(t, "quota", 1);
    vi.setSystemTime(MIDNIGHT + HOUR + MINUTE + 1);
    await runInternal(t, "vacuum:vacuum");
    expect((await storedHolds(t)).map(({ _id }) => `${_id}:quota`)).toEqual([
      running,
    ]);
    expect(await release(t, over)).toEqual({ settled: false });
    expect(await release(t, running)).toEqual({ settled: true });
  });
});

describe("denied", () => {
  test("it writes nothing, says when, and onDenied is told", async () => {
    const t = startHost();
    await hold(t, "tokens", 100);
    denials.length = 0;
    const denied = await t.mutation((ctx) =>
      limiter.hold(ctx, "tokens", { count: 10 }),
    );
    expect(denied).toEqual({ ok: false, retryAfter: 6 * MINUTE });
    expect(denials).toEqual([
      { name: "tokens", key: undefined, count: 10, retryAfter: 6 * MINUTE },
    ]);
    expect(await storedHolds(t)).toHaveLength(1);
  });

  test("in a dry run it holds nothing, and nothing is given back", async () => {
    const t = startHost();
    await hold(t, "dryRun", 100);
    const held = await t.mutation((ctx) =>
      limiter.hold(ctx, "dryRun", { count: 10 }),
    );
    expect(held).toMatchObject({ ok: true, wouldDeny: true });
    expect(await settle(t, held.id!, 0)).toEqual({ settled: true });
    expect(await balance(t, "dryRun")).toBe(0);
  });
});

describe("overrides", () => {
  const key = "k";
  const holdFor = (t: Host, count: number) =>
    t.mutation(async (ctx) => {
      const held = await limiter.hold(ctx, "tokens", { key, count });
      return held.id!;
    });
  const override = (t: Host, what: { deny: true } | { unlimited: true }) =>
    t.mutation((ctx) => limiter.setOverride(ctx, "tokens", { key, ...what }));

  test("what an unlimited key did not take is not given back", async () => {
    const t = startHost();
    await t.mutation((ctx) =>
      limiter.charge(ctx, "tokens", { key, count: 50 }),
    );
    await override(t, { unlimited: true });
    const id = await holdFor(t, 40);
    await t.mutation((ctx) => limiter.clearOverride(ctx, "tokens", { key }));
    expect(await release(t, id)).toEqual({ settled: true });
    expect(await balance(t, "tokens", key)).toBe(50);
  });

  test("a ban forbids to hold, and not to settle", async () => {
    const t = startHost();
    const id = await holdFor(t, 40);
    await override(t, { deny: true });
    expect(await release(t, id)).toEqual({ settled: true });
    const denied = t.mutation((ctx) => limiter.hold(ctx, "tokens", { key }));
    expect((await denied).ok).toBe(false);
  });
});
