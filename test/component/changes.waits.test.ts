import { HOUR, MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { deployed, startApp } from "../support/startApp.js";

useStillClock();
const at = (ms: number) => vi.setSystemTime(MIDNIGHT + ms);

const anHour = (rate: number, shards: number): RateLimitConfig => ({
  kind: "token bucket",
  rate,
  period: HOUR,
  shards,
  overrides: true,
});

test("a denial on a split key knows what an override's end leaves", async () => {
  const app = startApp({ x: anHour(72, 2) });
  await app.limit("x", { count: 30 });
  await app.setOverride("x", {
    config: { rate: 7.2 },
    expiresAt: MIDNIGHT + 3 * MINUTE,
  });
  at(1000);
  const denied = await app.limit("x", { count: 72 });
  expect(denied.ok).toBe(false);
  const due = 1000 + denied.retryAfter!;
  at(due - 1);
  expect(await app.check("x", { count: 72 })).toMatchObject({ ok: false });
  at(due);
  expect(await app.limit("x", { count: 72 })).toEqual({ ok: true });
});

test("a denial on a split key waits once, whatever rate the last deploy has set", async () => {
  const perMinute = (rate: number) => ({
    ...anHour(rate, 4),
    period: MINUTE,
    capacity: 24,
  });
  const before = startApp({ x: perMinute(24) });
  await before.limit("x", { count: 24 });
  const app = deployed(before.t, { x: perMinute(240) });
  at(36);
  const denied = await app.limit("x");
  expect(denied.ok).toBe(false);
  at(36 + denied.retryAfter! - 1);
  expect(await app.check("x")).toMatchObject({ ok: false });
  at(36 + denied.retryAfter!);
  expect(await app.limit("x")).toEqual({ ok: true });
});
