import {
  DAY,
  HOUR,
  type CalendarWindowConfig,
  type LimitConfig,
  type RefillingConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { createCheck } from "../../src/react/check.js";
import { useStillClock, runVacuum, storedRows } from "../support/host.js";
import {
  agreedBalance,
  balanceOf,
  deployed,
  expectExactWait,
  startApp,
  type App,
} from "../support/startApp.js";
import { weekdays } from "../support/naiveCalendar.js";

useStillClock();

const at = (text: string) => Date.parse(text);

const ten = { kind: "fixed window", rate: 10 } as const;

/** The zone whose clocks are `hours` ahead of UTC. */
const ahead = (hours: number) =>
  hours === 0 ? "Etc/GMT" : `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`;

/** Zones in the order in which a date begins. */
const zonesGoingWest = Array.from({ length: 14 }, (_, i) => ahead(14 - 2 * i));

const modes: [string, Partial<CalendarWindowConfig>][] = [
  ["in a row", {}],
  ["in two rows", { shards: 2 }],
];

/** Takes all tokens after a deploy of these windows, and returns how many there were. */
async function takeAll(t: App["t"], api: object): Promise<number> {
  const app = deployed(t, { api: { ...ten, ...api } as LimitConfig });
  const balance = Math.floor(await balanceOf(app, "api"));
  if (balance > 0) {
    expect(await app.limit("api", { count: balance })).toEqual({ ok: true });
  }
  expect(await app.check("api")).toMatchObject({ ok: false });
  return balance;
}

describe.each(modes)("a limit of calendar windows, kept %s,", (_, mode) => {
  const start = (now: string) => {
    vi.setSystemTime(at(now));
    const { t } = startApp({});
    return (windows: object) => takeAll(t, { ...windows, ...mode });
  };

  test.each<[string, windows: object[]]>([
    [
      "moved west through 14 zones",
      zonesGoingWest.map((timeZone) => ({ period: "month", timeZone })),
    ],
    [
      "moved through seven first days of the week",
      weekdays.map((weekStart) => ({ period: "week", weekStart })),
    ],
  ])("%s, grants no more than one window", async (_, all) => {
    const take = start("2026-03-14T12:00Z");
    let granted = 0;
    for (const windows of all) granted += await take(windows);
    expect(granted).toBe(10);
  });

  const noon = at("2026-03-15T12:00Z");
  const ofUTC = { period: "day" };

  const plain = { period: DAY, start: noon };

  test("begins in the running window once a key that plain windows filled is idle", async () => {
    const take = start("2026-03-15T11:59:59.999Z");
    expect(await take(plain)).toBe(10);
    vi.setSystemTime(noon + HOUR - 1);
    expect(await take(ofUTC)).toBe(0);
    vi.setSystemTime(noon + HOUR);
    expect(await take(ofUTC)).toBe(10);
    // The day of UTC ends at midnight, 12 hours before the plain window would.
    vi.setSystemTime(noon + 12 * HOUR - 1);
    expect(await take(ofUTC)).toBe(0);
    vi.setSystemTime(noon + 12 * HOUR);
    expect(await take(ofUTC)).toBe(10);
    expect([await take(plain), await take(ofUTC)]).toEqual([0, 0]);
    vi.setSystemTime(noon + 36 * HOUR - 1);
    expect(await take(ofUTC)).toBe(0);
    vi.setSystemTime(noon + 36 * HOUR);
    expect(await take(ofUTC)).toBe(10);
  });

  test("gets a month's tokens when the month begins, even if daily rules wrote meanwhile", async () => {
    const monthly = { period: "month", rate: 310 };
    const take = start("2026-01-01T00:00Z");
    expect(await take(monthly)).toBe(310);
    const plain = { period: DAY, start: 0, capacity: 310 };
    vi.setSystemTime(at("2026-01-02T00:00Z"));
    expect(await take(plain)).toBe(10);
    vi.setSystemTime(at("2026-01-04T00:00Z"));
    expect(await take({ period: "day", capacity: 310 })).toBe(20);
    vi.setSystemTime(at("2026-02-01T00:00Z") - 1);
    expect(await take(monthly)).toBe(0);
    vi.setSystemTime(at("2026-02-01T00:00Z"));
    expect(await take(monthly)).toBe(310);
    vi.setSystemTime(at("2026-03-01T00:00Z") - 1);
    expect(await take(monthly)).toBe(0);
    vi.setSystemTime(at("2026-03-01T00:00Z"));
    expect(await take(monthly)).toBe(310);
  });

  const berlin = { ...ten, period: "day", timeZone: "Europe/Berlin" } as const;
  type Case = { before: RefillingConfig; after: RefillingConfig };

  test.each`
    what                                            | before                                   | after
    ${"Berlin to UTC"}                              | ${berlin}                                | ${{ ...ten, period: "day" }}
    ${"a plain day to one of Berlin"}               | ${{ ...ten, period: DAY, start: 0 }}     | ${berlin}
    ${"a plain day of its own phase to one of UTC"} | ${{ ...ten, period: DAY }}               | ${{ ...ten, period: "day" }}
    ${"a plain week to one from Sunday"}            | ${{ ...ten, period: 7 * DAY, start: 0 }} | ${{ ...ten, period: "week", weekStart: "sunday" }}
  `(
    "deployed from $what, refills no key in use",
    async ({ before, after }: Case) => {
      // A day begins in Berlin at 22:00.
      for (const hour of [0, 21, 22]) {
        const now = at("2026-05-12T00:00Z") + hour * HOUR;
        vi.setSystemTime(now);
        const old = startApp({ api: { ...before, ...mode } as never });
        await old.limit("api", { count: 8 });
        const wait = (await old.check("api", { count: 3 })).retryAfter!;
        const app = deployed(old.t, { api: { ...after, ...mode } as never });
        expect(await agreedBalance(app, "api")).toBe(2);
        const later = await expectExactWait(() =>
          app.check("api", { count: 3 }),
        );
        const window = typeof after.period === "number" ? after.period : DAY;
        const longest = after.period === "week" ? 7 * DAY : window;
        expect(later).toBeLessThanOrEqual(wait + longest);
        const balance = await balanceOf(app, "api");
        expect(balance).toBe(10);
      }
    },
  );
});

const anchored = { period: "month", start: at("2026-01-15T09:00Z") } as const;

describe("a key of calendar windows is forgotten an hour after", () => {
  type Case = { windows: Partial<CalendarWindowConfig>; end: string };

  test.each`
    what                       | windows                                      | end
    ${"its month"}             | ${{ period: "month" }}                       | ${"2026-02-01T00:00Z"}
    ${"its day in Tokyo"}      | ${{ period: "day", timeZone: "Asia/Tokyo" }} | ${"2026-01-01T15:00Z"}
    ${"its billing month"}     | ${anchored}                                  | ${"2026-01-15T09:00Z"}
    ${"its day in two rows"}   | ${{ period: "day", rate: 20, shards: 2 }}    | ${"2026-01-02T00:00Z"}
    ${"the day that fills it"} | ${{ period: "day", rate: 3, capacity: 9 }}   | ${"2026-01-04T00:00Z"}
  `("$what", async ({ windows, end }: Case) => {
    vi.setSystemTime(at("2026-01-01T10:00Z"));
    const config = { ...ten, ...windows } as LimitConfig;
    const { t, limit, listed } = startApp({ api: config });
    await limit("api", { key: "u", count: 9 });
    vi.setSystemTime(at(end) + HOUR - 1);
    await runVacuum(t);
    expect(await listed("api", "u")).toMatchObject({ key: "u" });
    vi.setSystemTime(at(end) + HOUR);
    expect(await listed("api", "u")).toBeUndefined();
    await runVacuum(t);
    expect(await storedRows(t)).toEqual([]);
  });
});

describe("a key whose time zone comes with the call", () => {
  const dayIn = (timeZone: string) =>
    ({ ...ten, period: "day", timeZone }) as const;

  test("gains nothing by moving", async () => {
    const begin = at("2026-03-14T00:00Z");
    vi.setSystemTime(begin);
    const { t, limit } = startApp({});
    let granted = 0;
    // Comes back when the last day has been over for an hour, to the zone whose day ends next; and
    // once more an hour later.
    const hours = Array.from({ length: 8 }, (_, day) => [
      27 * day,
      27 * day + 1,
    ]);
    for (const hour of hours.flat()) {
      vi.setSystemTime(begin + hour * HOUR + HOUR / 2);
      await runVacuum(t);
      const config = dayIn(ahead(12 - ((hour + 13) % 24)));
      if ((await limit("api", { config, count: 10 })).ok) granted += 10;
    }
    // In nine days.
    expect(granted).toBeLessThanOrEqual(10 * (1 + 9));
  });

  test.each([["year", "2027-01-01T00:00Z"]] as const)(
    "is forgotten 27 hours after its %s",
    async (period, end) => {
      vi.setSystemTime(at("2026-01-01T10:00Z"));
      const { t, limit } = startApp({});
      await limit("api", { config: { ...ten, period, timeZone: "UTC" } });
      vi.setSystemTime(at(end) + 27 * HOUR - 1);
      await runVacuum(t);
      expect(await storedRows(t)).not.toEqual([]);
      vi.setSystemTime(at(end) + 27 * HOUR);
      await runVacuum(t);
      expect(await storedRows(t)).toEqual([]);
    },
  );
});

test("an override's period replaces the calendar while it is in force", async () => {
  const now = at("2026-01-31T12:00Z");
  const april = at("2026-03-31T22:00Z");
  vi.setSystemTime(now);
  const monthly = { ...ten, period: "month", timeZone: "Europe/Berlin" };
  const { limit, check, getValue, setOverride } = startApp({
    api: { ...monthly, overrides: true } as LimitConfig,
  });
  const until = now + 10 * DAY;
  await setOverride("api", { config: { period: DAY }, expiresAt: until });
  await limit("api", { count: 10 });
  const { retryAfter } = await limit("api");
  expect(retryAfter).toBeLessThanOrEqual(DAY);
  const hook = createCheck(await getValue("api"), 0, () => now);
  expect(hook(now, 1)?.retryAt).toBe(now + retryAfter!);
  vi.setSystemTime(now + retryAfter!);
  expect(await limit("api", { count: 10 })).toEqual({ ok: true });
  vi.setSystemTime(until - 1);
  expect(await limit("api", { count: 10 })).toEqual({ ok: true });
  vi.setSystemTime(until);
  // What was taken under the override is refilled only by the next month.
  const inApril = { ok: false, retryAfter: april - until };
  expect(await check("api")).toEqual(inApril);
  vi.setSystemTime(april);
  expect(await check("api", { count: 10 })).toEqual({ ok: true });
});
