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
  },
  { onDenied: (_ctx, denial) => void denials.push(denial) },
);
type Name = "tokens" | "quota" | "split";

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

const release = (t: Host, id: string) =>
  t.mutation((ctx) => limiter.release(ctx, id));

test("calls of hold and settle in one mutation see each other", async () => {
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

test("a hold that nobody settles goes with the vacuum, which leaves the others", async () => {
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

test("a hold that is denied writes nothing, says when, and onDenied is told", async () => {
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

test("an id that names another limit than the hold's is refused", async () => {
  const t = startHost();
  const id = await hold(t, "quota", 1);
  const forged = id.replace("quota", "split");
  expect(forged).not.toBe(id);
  await expect(release(t, forged)).rejects.toThrow("is not the id of a hold");
  expect(await release(t, id)).toEqual({ settled: true });
});

test("what was held by a config that came with the call is settled by it, whatever the limit is elsewhere", async () => {
  const t = startHost();
  const elsewhere = new RateLimiter(components.rateLimiter, {});
  const config = { kind: "token bucket", rate: 1000, period: HOUR } as const;
  const { id } = await t.mutation((ctx) =>
    elsewhere.hold(ctx, "tokens", { config, count: 500 }),
  );
  expect(await release(t, id!)).toEqual({ settled: true });
  const { value } = await t.query((ctx) =>
    elsewhere.getValue(ctx, "tokens", { config }),
  );
  expect(value).toBe(1000);
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
