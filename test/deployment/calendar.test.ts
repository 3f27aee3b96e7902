import { Cron } from "croner";
import { expect, test } from "vitest";
import {
  expectDeniedUntil,
  newLimit,
  serverNow,
  serverReaches,
} from "./visitor.js";

const SECOND = 1_000;

test.each([
  ["day", "Asia/Kolkata", "0 0 * * *", undefined],
  ["week", "Asia/Kolkata", "0 0 * * 1", undefined],
  ["year", "Pacific/Auckland", "0 0 1 1 *", undefined],
  // From a Monday at 9:00 and from a 17th at 14:03, in local time.
  ["week", "America/New_York", "0 9 * * 1", "2026-01-05T14:00:00Z"],
  ["month", "Europe/Berlin", "3 14 17 * *", "2025-07-17T12:03:00Z"],
] as const)(
  "a denial waits for the end of the %s in %s (%s)",
  async (period, timeZone, beginnings, from) => {
    const {
      http,
      takeWithDetails: take,
      getValue,
    } = newLimit({
      kind: "fixed window",
      rate: 2,
      period,
      timeZone,
      start: from && Date.parse(from),
    });
    const cron = new Cron(beginnings, { timezone: timeZone });
    const nextStart = (time: number) => cron.nextRun(new Date(time))!.getTime();
    // A window that opens before the test ends would grant again: wait for it.
    const now = await serverNow(http);
    if (nextStart(now) < now + 10 * SECOND) {
      await serverReaches(http, nextStart(now));
    }
    const end = nextStart(await serverNow(http));
    expect(await take({ count: 2 })).toMatchObject({ ok: true, remaining: 0 });
    const { ts } = await getValue();
    expect(nextStart(ts - 1)).toBe(ts);
    expect(nextStart(ts)).toBe(end);
    const { retryAfter, resetAfter } = await expectDeniedUntil(http, end, take);
    expect(resetAfter).toBe(retryAfter);
  },
);
