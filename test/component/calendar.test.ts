import {
  calculateRateLimit,
  DAY,
  HOUR,
  RateLimiter,
  rateLimitHeaders,
  type RefillingConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { components, startHost, storedRows, useStillClock } from "../host.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";

const at = (text: string) => Date.parse(text);

/** In Berlin, a day before the clocks are put forward. */
const NOW = at("2026-03-28T12:00:00Z");

useStillClock(NOW);

const daily = {
  kind: "fixed window",
  rate: 4,
  period: "day",
  timeZone: "Europe/Berlin",
} as const;
const monthly = { ...daily, period: "month" } as const;

function start(config: RefillingConfig) {
  const t = startHost();
  const limiter = new RateLimiter(components.rateLimiter, { api: config });
  return {
    t,
    limiter,
    take: (count = 1, reserve = false) =>
      t.mutation((ctx) =>
        limiter.limit(ctx, "api", { count, reserve, details: true }),
      ),
    check: (count = 1) =>
      t.query((ctx) => limiter.check(ctx, "api", { count })),
    value: () => t.query((ctx) => limiter.getValue(ctx, "api")),
  };
}

describe.each([1, 2])("over %i rows", (shards) => {
  test.each([
    ["a day", daily, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    ["a month", monthly, "2026-03-31T22:00:00Z", "2026-04-30T22:00:00Z"],
    [
      "a week",
      { ...daily, period: "week" },
      "2026-03-29T22:00:00Z",
      "2026-04-05T22:00:00Z",
    ],
    [
      "a year",
      { ...daily, period: "year" },
      "2026-12-31T23:00:00Z",
      "2027-12-31T23:00:00Z",
    ],
    [
      "a day from nine",
      { ...daily, start: at("2025-12-01T08:00:00Z") },
      "2026-03-29T07:00:00Z",
      "2026-03-30T07:00:00Z",
    ],
    [
      "a billing month",
      { ...monthly, start: at("2026-01-31T13:03:00Z") },
      "2026-03-31T12:03:00Z",
      "2026-04-30T12:03:00Z",
    ],
  ] as [string, RefillingConfig, string, string][])(
    "what is used up in %s is there at the start of the next, to the ms",
    async (_, config, next, afterNext) => {
      const { take, check } = start({ ...config, shards });
      for (let i = 0; i < 4; i++) await take();
      for (const opens of [at(next), at(afterNext)]) {
        const denied = await take();
        expect(denied).toMatchObject({
          ok: false,
          remaining: 0,
          retryAfter: opens - Date.now(),
          resetAfter: opens - Date.now(),
        });
        vi.setSystemTime(opens - 1);
        expect(await check()).toEqual({ ok: false, retryAfter: 1 });
        vi.setSystemTime(opens);
        expect(await take(4)).toMatchObject({ ok: true, remaining: 0 });
      }
    },
  );

  test("getValue, calculateRateLimit, the hook and the headers agree with limit", async () => {
    const config = { ...daily, shards, capacity: 10 };
    const { take, check, value } = start(config);
    await take(9.5);
    const data = await value();
    const hook = createCheck(data, 0, Date.now);
    for (let ms = 0; ms <= 5 * DAY; ms += 5 * HOUR) {
      const now = NOW + ms;
      vi.setSystemTime(now);
      const asked = await check(3);
      const shown = calculateRateLimit(data, data.config, now, 3);
      const own = calculateRateLimit(data, config, now, 3);
      expect(own).toEqual(shown);
      expect(shown.retryAfter).toBe(asked.retryAfter);
      const { status } = rateLimitAt(hook, 3, now).value;
      expect(status?.ok).toBe(asked.ok);
      expect(status?.retryAt).toBe(
        asked.retryAfter === undefined ? undefined : now + asked.retryAfter,
      );
      expect(shown.windowStart).toBeLessThanOrEqual(now);
    }
    vi.setSystemTime(NOW);
    const denied = await take(3);
    expect(
      rateLimitHeaders(denied, { name: "api", config: daily }),
    ).toMatchObject({
      "RateLimit-Policy": '"api";q=10;w=86400',
      "Retry-After": `${11 * 3600}`,
    });
  });

  test("unused windows accumulate up to the capacity", async () => {
    const { take } = start({ ...daily, shards, capacity: 10 });
    await take(10);
    vi.setSystemTime(at("2026-03-29T22:00:00Z"));
    expect(await take(8)).toMatchObject({ ok: true, remaining: 0 });
    vi.setSystemTime(at("2026-04-10T12:00:00Z"));
    expect(await take(10)).toMatchObject({ ok: true, remaining: 0 });
  });

  test("a reservation runs at the start of the window that pays it", async () => {
    const { take } = start({ ...daily, shards });
    await take(4);
    expect(await take(4, true)).toMatchObject({
      ok: true,
      retryAfter: at("2026-03-28T23:00:00Z") - NOW,
    });
    expect(await take(1, true)).toMatchObject({
      ok: true,
      retryAfter: at("2026-03-29T22:00:00Z") - NOW,
    });
  });
});

test("an override changes the rate, and a period in ms takes the calendar's place", async () => {
  const { t, limiter, take } = start({ ...monthly, overrides: true });
  const set = (config: { rate?: number; period?: number }) =>
    t.mutation((ctx) => limiter.setOverride(ctx, "api", { config }));
  await set({ rate: 6 });
  await take(6);
  const month = at("2026-03-31T22:00:00Z");
  expect(await take()).toMatchObject({ ok: false, retryAfter: month - NOW });
  await set({ period: HOUR });
  // Many hours have gone by since the month began.
  expect(await take(4)).toMatchObject({ ok: true, remaining: 0 });
  const { retryAfter } = await take();
  expect(retryAfter).toBeLessThanOrEqual(HOUR);
  vi.setSystemTime(NOW + retryAfter!);
  expect(await take()).toMatchObject({ ok: true });
});

test("an unused limit shows the window of now, and where the next ones start", async () => {
  const { value } = start(daily);
  const state = await value();
  expect(state.value).toBe(4);
  const shown = calculateRateLimit(state, state.config, NOW);
  expect(shown.windowStart).toBe(at("2026-03-27T23:00:00Z"));
  const starts = state.segments?.[0]?.starts;
  expect(state.config.period).toBe(DAY);
  expect(starts?.slice(0, 3)).toEqual([
    at("2026-03-27T23:00:00Z"),
    at("2026-03-28T23:00:00Z"),
    at("2026-03-29T22:00:00Z"),
  ]);
  expect(starts).toHaveLength(15);
});

test("a row of another window is taken over, adds nothing, and is full when it was to be", async () => {
  const { t, take } = start(daily);
  const config = { ...daily, timeZone: undefined, period: DAY, start: 0 };
  await t.mutation((ctx) =>
    new RateLimiter(components.rateLimiter).limit(ctx, "api", {
      config,
      count: 4,
    }),
  );
  expect(await take()).toMatchObject({
    ok: false,
    retryAfter: at("2026-03-29T00:00:00Z") - NOW,
  });
});

test("a sample of the rows tells the windows of the whole", async () => {
  const { t, limiter, take } = start({ ...daily, shards: 2 });
  await take(4);
  const { value, segments } = await t.query((ctx) =>
    limiter.getValue(ctx, "api", { sampleShards: 1 }),
  );
  const [ts, next] = [at("2026-03-27T23:00:00Z"), at("2026-03-28T23:00:00Z")];
  expect(value).toBe(0);
  expect(segments).toMatchObject([
    { effect: "limited", shards: 1, rows: [{ value: 0, ts }] },
  ]);
  const { starts } = segments![0]!;
  expect(starts!.slice(0, 2)).toEqual([ts, next]);
  // Two weeks of them behind the one in which it is full again.
  expect(starts).toHaveLength(2 + 14);
});

test("windows are told from the oldest row to two weeks after the limit is full", async () => {
  const { t, limiter, take } = start({ ...daily, capacity: 12, rate: 4 });
  await take(12);
  vi.setSystemTime(NOW + 2 * DAY);
  const { segments } = await t.query((ctx) => limiter.getValue(ctx, "api"));
  const { starts } = segments![0]!;
  expect(starts![0]).toBe(at("2026-03-27T23:00:00Z"));
  expect(starts!.at(-1)).toBe(at("2026-04-13T22:00:00Z"));
});

test("a week begins on the day that the config says", async () => {
  const config = { ...daily, period: "week", weekStart: "thursday" } as const;
  const next = at("2026-04-01T22:00:00Z");
  expect(await start(config).take(4)).toMatchObject({ resetAfter: next - NOW });
});

test.each([
  [{ timeZone: "Europe/Nowhere" }, "timeZone must be the IANA name"],
  [{ calendar: { period: "day" } }, "there is no field calendar"],
])(
  "a bad calendar is an error where the limiter is made, and in a call: %j",
  async (bad, message) => {
    const config = { ...daily, ...bad } as unknown as RefillingConfig;
    const expected = `Rate limit api: ${message}`;
    expect(
      () => new RateLimiter(components.rateLimiter, { api: config }),
    ).toThrow(expected);
    const t = startHost();
    const limiter = new RateLimiter(components.rateLimiter);
    const call = t.mutation((ctx) => limiter.limit(ctx, "api", { config }));
    await expect(call).rejects.toThrow(expected);
    expect(await storedRows(t)).toEqual([]);
  },
);
