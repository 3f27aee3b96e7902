import {
  calculateRateLimit,
  MINUTE,
  type RefillingConfig,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillTimers } from "../support/host.js";
import { balanceOf, deployed, startApp } from "../support/startApp.js";

useStillTimers();

const key = "k";
const fn = makeFunctionReference<"mutation">("app:run");

const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const large = { ...ten, capacity: 1000 };
const three = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;

describe("what was held before a deploy", () => {
  async function holding(more: { config?: RefillingConfig } = {}) {
    const before = startApp({ api: ten });
    const id = await before.held("api", { key, count: 5, ...more });
    return { before, id };
  }

  test("is settled under the new capacity", async () => {
    const { before, id } = await holding();
    const now = deployed(before.t, { api: large });
    await now.credit("api", { key, count: 400 });
    await now.settle(id, 6);
    expect(await balanceOf(now, "api", { key })).toBe(404);
    vi.setSystemTime(MIDNIGHT + MINUTE);
    expect(await balanceOf(now, "api", { key })).toBe(414);
  });

  test("is given back under the new config if it was scheduled", async () => {
    const { before } = await holding();
    const job = await before.mutate((ctx) =>
      before.limiter.schedule(ctx, "api", { key, count: 9, fn, args: {} }),
    );
    const now = deployed(before.t, { api: { ...ten, shards: "auto" } });
    await now.charge("api", { key, count: 1 });
    expect(await balanceOf(now, "api", { key })).toBe(-5);
    await now.mutate((ctx) =>
      now.limiter.cancelScheduled(ctx, job.scheduledId!),
    );
    expect(await balanceOf(now, "api", { key })).toBe(4);
  });

  test("with a config of its own is settled by that", async () => {
    const { before, id } = await holding({ config: large });
    await before.settle(id, 6);
    expect(await balanceOf(before, "api", { key, config: large })).toBe(994);
  });

  test("is settled by its own config if the limit is now one of concurrency", async () => {
    const { before, id } = await holding();
    const now = deployed(before.t, { api: three });
    expect(await now.settle(id, 6)).toEqual({ settled: true });
    expect(await balanceOf(before, "api", { key })).toBe(4);
  });
});

test("a page shows the right balance after a deploy joined the rows and lowered the rate", async () => {
  const before = startApp({ api: { ...ten, shards: 5 } });
  await before.limit("api", { key, count: 3 });
  const now = deployed(before.t, { api: { ...ten, rate: 1, capacity: 10 } });
  const told = await now.getValue("api", { key });
  // 7 tokens are left, and half a minute brings half a token.
  const later = MIDNIGHT + 30_000;
  vi.setSystemTime(later);
  expect(await balanceOf(now, "api", { key })).toBeCloseTo(7.5, 9);
  const page = calculateRateLimit(told, told.config, later);
  expect(page.value).toBeCloseTo(7.5, 9);
});

test("an override from before a deploy changes only fields of the limit's new kind", async () => {
  const before = startApp({ api: { ...ten, overrides: true } });
  await before.setOverride("api", { config: { rate: 20, capacity: 1 } });
  const now = deployed(before.t, { api: { ...three, overrides: true } });
  const hold = () => now.hold("api", { key });
  expect(await hold()).toMatchObject({ ok: true });
  expect(await hold()).toEqual({ ok: false, retryAfter: MINUTE });
});
