import { MINUTE } from "convex-rate-limiter";
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
  async function holding() {
    const before = startApp({ api: ten });
    const id = await before.held("api", { key, count: 5 });
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

  test("is settled by its own config if the limit is now one of concurrency", async () => {
    const { before, id } = await holding();
    const now = deployed(before.t, { api: three });
    expect(await now.settle(id, 6)).toEqual({ settled: true });
    expect(await balanceOf(before, "api", { key })).toBe(4);
  });
});

test("an override from before a deploy changes only fields of the limit's new kind", async () => {
  const before = startApp({ api: { ...ten, overrides: true } });
  await before.setOverride("api", { config: { rate: 20, capacity: 1 } });
  const now = deployed(before.t, { api: { ...three, overrides: true } });
  const hold = () => now.hold("api", { key });
  expect(await hold()).toMatchObject({ ok: true });
  expect(await hold()).toEqual({ ok: false, retryAfter: MINUTE });
});
