import { describe, expect, test, vi } from "vitest";
import { DAY, HOUR } from "../../src/core/periods.js";
import type { LimitConfig } from "convex-rate-limiter";
import {
  balanceOf,
  deployed,
  drain,
  startApp,
  type App,
} from "../support/startApp.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { seedRandom } from "../support/seed.js";

/*
 * The windows of all rows of a limit are on one grid, as those of one row are, whatever a deploy
 * or an override changes while the key is in use.
 */

useStillClock();

const inRows = { rate: 20, shards: 10 };
const daily = {
  kind: "fixed window",
  period: DAY,
  start: 0,
  ...inRows,
} as const;
const byDay = { kind: "fixed window", period: "day", ...inRows } as const;
const byMonth = { ...byDay, period: "month" } as const;

const wait = (ms: number) => void vi.setSystemTime(Date.now() + ms);

describe("a key in use keeps its windows in all of its rows, as one row does", () => {
  test.each<[string, LimitConfig, LimitConfig, untilNext: number]>([
    ["when start moves", daily, { ...daily, start: 12 * HOUR }, DAY],
    ["when a plain day becomes one of the calendar", daily, byDay, DAY],
    ["when a month becomes a day", byMonth, byDay, 31 * DAY],
    ["when a month becomes a plain day", byMonth, daily, DAY],
  ])("%s", async (_, before, after, untilNext) => {
    wait(HOUR);
    const { t, limit } = startApp({ api: before });
    await limit("api");
    const app = deployed(t, { api: after });
    vi.setSystemTime(MIDNIGHT + untilNext - 1);
    expect(await drain(app, "api")).toBe(19);
    wait(1);
    expect(await drain(app, "api")).toBe(20);
  });

  test("also in rows that are full, until the key is idle", async () => {
    const { t, limit } = startApp({ api: { ...daily, shards: 2 } });
    seedRandom(1);
    // Both rows are stored, and full from midnight on.
    for (let i = 0; i < 20; i++) await limit("api");
    wait(DAY + HOUR);
    await limit("api");
    const moved = { ...daily, start: 12 * HOUR, shards: 2 };
    const app = deployed(t, { api: moved });
    wait(10 * HOUR);
    expect(await drain(app, "api")).toBe(19);
    wait(2 * HOUR);
    expect(await drain(app, "api")).toBe(0);
    wait(11 * HOUR);
    expect(await drain(app, "api")).toBe(20);
    // Full at midnight and idle an hour later, it begins in the window of noon.
    wait(DAY + HOUR);
    expect(await drain(app, "api")).toBe(20);
    wait(11 * HOUR);
    expect(await drain(app, "api")).toBe(20);
  });
});

describe("after the capacity is raised,", () => {
  const raise = ({ setOverride }: App, capacity: number) =>
    setOverride("api", { config: { capacity } });

  test("a refill of the calendar that found no room does not come back", async () => {
    const overrides = true;
    const app = startApp({ api: { ...byDay, overrides } });
    for (let i = 0; i < 12; i++) await app.limit("api");
    wait(DAY);
    for (let i = 0; i < 2; i++) await app.limit("api");
    await raise(app, 40);
    expect(await balanceOf(app, "api")).toBeCloseTo(18, 6);
    expect(await drain(app, "api")).toBe(18);
    wait(DAY);
    expect(await drain(app, "api")).toBe(20);
  });

  test("absent rows keep the time of their next refill", async () => {
    const api = { kind: "fixed window", rate: 4, shards: 2 } as const;
    const overrides = true;
    const { t, limit } = startApp({ api: { ...api, period: "month" } });
    await limit("api");
    const app = deployed(t, { api: { ...api, period: "day", overrides } });
    wait(DAY);
    await raise(app, 20);
    wait(DAY);
    expect(await balanceOf(app, "api")).toBe(3);
    vi.setSystemTime(MIDNIGHT + 31 * DAY);
    expect(await balanceOf(app, "api")).toBe(7);
  });
});
