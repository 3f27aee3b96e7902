import {
  DAY,
  HOUR,
  type CalendarPeriod,
  type LimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { useStillClock } from "../support/host.js";
import { runs } from "../support/seed.js";
import { balanceOf, deployed, startApp } from "../support/startApp.js";
import { naiveStarts } from "../support/naiveCalendar.js";

/*
 * Rules take turns on one key, as plans and deploys do. Between two calls, they bring no more
 * than the most generous of them would. The oracle knows no balance: it counts what arrives.
 */

useStillClock();

const BEGIN = "2026-03-12";
const capacity = 310;

type Rule = {
  config: object;
  /** The tokens that the rule alone brings after one time and up to another. */
  arrivals: (after: number, to: number) => number;
};

const bucket = (rate: number, period: number): Rule => ({
  config: { kind: "token bucket", rate, period },
  arrivals: (after, to) => ((to - after) * rate) / period,
});

const windows = (rate: number, period: number): Rule => ({
  config: { kind: "fixed window", rate, period, start: 0 },
  arrivals: (after, to) =>
    rate * (Math.floor(to / period) - Math.floor(after / period)),
});

function calendar(
  rate: number,
  period: CalendarPeriod,
  timeZone: string,
  weekStart: "sunday" | "monday" = "monday",
): Rule {
  const starts = naiveStarts([timeZone, BEGIN], period, weekStart);
  const week = period === "week" && { weekStart };
  return {
    config: { kind: "fixed window", rate, period, timeZone, ...week },
    arrivals: (after, to) =>
      rate * starts.filter((start) => start > after && start <= to).length,
  };
}

const rules = [
  bucket(10, DAY),
  bucket(1, DAY / 10),
  windows(10, DAY),
  windows(5, 12 * HOUR),
  windows(70, 7 * DAY),
  calendar(10, "day", "UTC"),
  calendar(10, "day", "Etc/GMT-14"),
  calendar(10, "day", "Europe/Berlin"),
  calendar(70, "week", "UTC"),
  calendar(70, "week", "UTC", "sunday"),
  calendar(280, "month", "UTC"),
  calendar(280, "month", "Asia/Tokyo"),
];

const aStep = fc.record({
  after: fc.oneof(
    fc.constantFrom(12 * HOUR, DAY, 2 * DAY),
    fc.integer({ min: 1, max: 3 * DAY }),
  ),
  nth: fc.nat({ max: 3 }),
  does: fc.constantFrom("take", "take", "write", "look"),
});

test.each<[string, object]>([
  ["in one row", {}],
  ["in three rows", { shards: 3 }],
  ["in rows that split themselves", { shards: "auto" }],
])("rules that take turns bring no more than the best, %s", async (_, mode) => {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray(rules, { minLength: 2, maxLength: 4 }),
      fc.array(aStep, { minLength: 30, maxLength: 60, size: "max" }),
      async (chosen, steps) => {
        const limits = chosen.map(({ config }) => ({
          api: { ...config, capacity, ...mode } as LimitConfig,
        }));
        let now = Date.parse(BEGIN);
        vi.setSystemTime(now);
        const { t, charge } = startApp(limits[0]!);
        await charge("api", { count: capacity });
        let most = 0;
        let taken = 0;
        for (const { after, nth, does } of steps) {
          const to = now + after;
          most += Math.max(...chosen.map((rule) => rule.arrivals(now, to)));
          now = to;
          vi.setSystemTime(now);
          const app = deployed(t, limits[nth % limits.length]!);
          const balance = await balanceOf(app, "api");
          expect(taken + balance).toBeLessThanOrEqual(most + 1e-6);
          const count = does === "take" ? balance : 0.001;
          if (does === "look" || count < 0.001) continue;
          await app.charge("api", { count });
          taken += count;
        }
      },
    ),
    runs(4),
  );
});
