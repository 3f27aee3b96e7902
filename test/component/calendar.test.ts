import { calculateRateLimit, DAY, type LimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { startApp } from "../startApp.js";
import { useStillClock } from "../host.js";

const at = (text: string) => Date.parse(text);

/** In Berlin, a day before the clocks are put forward. */
const NOW = at("2026-03-28T12:00:00Z");
const TODAY = at("2026-03-27T23:00:00Z");
const TOMORROW = at("2026-03-28T23:00:00Z");

useStillClock(NOW);

const daily = {
  kind: "fixed window",
  rate: 4,
  period: "day",
  timeZone: "Europe/Berlin",
} as const;

describe("the windows that are told", () => {
  /** Of a limit of which so much is taken now, so much later. */
  const startsOf = async (
    config: LimitConfig,
    count: number,
    { later = 0, ...sample }: { later?: number; sampleShards?: number } = {},
  ) => {
    const { limit, limiter, t } = startApp({ api: config });
    if (count > 0) await limit("api", { count });
    vi.setSystemTime(NOW + later);
    const told = await t.query((ctx) => limiter.getValue(ctx, "api", sample));
    return { told, starts: told.phases![0]!.starts! };
  };

  test("of an unused limit begin with the one of now", async () => {
    const { told, starts } = await startsOf(daily, 0);
    expect(told).toMatchObject({ value: 4, config: { period: DAY } });
    const { windowStart } = calculateRateLimit(told, told.config, NOW);
    expect(windowStart).toBe(TODAY);
    const dayAfter = at("2026-03-29T22:00:00Z");
    expect(starts.slice(0, 3)).toEqual([TODAY, TOMORROW, dayAfter]);
    expect(starts).toHaveLength(15);
  });

  test("of a sample of the rows are those of the whole", async () => {
    const config = { ...daily, shards: 2 };
    const { told, starts } = await startsOf(config, 4, { sampleShards: 1 });
    expect(told).toMatchObject({
      value: 0,
      phases: [
        { effect: "limited", shards: 1, rows: [{ value: 0, ts: TODAY }] },
      ],
    });
    expect(starts.slice(0, 2)).toEqual([TODAY, TOMORROW]);
    // Two weeks of them behind the one in which it is full again.
    expect(starts).toHaveLength(2 + 14);
  });

  test("go from the oldest row to two weeks after the limit is full", async () => {
    const config = { ...daily, capacity: 12 };
    const { starts } = await startsOf(config, 12, { later: 2 * DAY });
    expect(starts[0]).toBe(TODAY);
    expect(starts.at(-1)).toBe(at("2026-04-13T22:00:00Z"));
  });
});
