import { Cron } from "croner";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Backend } from "../src/backend.js";
import { patternOf, type Schedule } from "../src/crons.js";
import { appWithCrons } from "./fixture.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 11, 59, 30) });
});
afterEach(() => {
  vi.useRealTimers();
});

test("the crons of an app and its components run when due, until the backend is closed", async () => {
  const ran: string[] = [];
  const backend = await Backend.start(appWithCrons, (name) => ran.push(name));
  const after = async (ms: number) => {
    ran.length = 0;
    await vi.advanceTimersByTimeAsync(ms);
    return ran;
  };
  expect(await after(1_000)).toEqual(["messages:send"]);
  expect(await after(29_000)).toEqual(["tally/counts:increment"]);
  expect(await after(31_000)).toEqual(["messages:send"]);
  await after(29 * MINUTE);
  expect(await after(MINUTE)).toContain("counts:add");
  backend.close();
  expect(await after(24 * HOUR)).toEqual([]);
});

test("queries see what a cron has written", async () => {
  const backend = await Backend.start(appWithCrons);
  await vi.advanceTimersByTimeAsync(MINUTE);
  const call = async (path: string) => {
    const caller = { identity: null, ip: null, userAgent: null };
    const { outcomes } = await backend.snapshot([{ path, args: {} }], caller);
    return outcomes[0];
  };
  expect(await call("messages:list")).toEqual({
    ok: true,
    value: ["a minute has passed"],
  });
  expect(await call("counts:total")).toEqual({ ok: true, value: 1 });
  backend.close();
});

test.each<[schedule: Schedule, first: string, second: string]>([
  [{ type: "interval", seconds: 90 }, "11:59:31", "12:01:01"],
  [{ type: "interval", minutes: 2 }, "11:59:31", "12:01:31"],
  [{ type: "interval", hours: 1 }, "11:59:31", "12:59:31"],
  [{ type: "hourly", minuteUTC: 5 }, "12:05:00", "13:05:00"],
  [{ type: "daily", hourUTC: 12, minuteUTC: 5 }, "12:05:00", "02 12:05:00"],
  [
    // 1 January 2026 is a Thursday.
    { type: "weekly", dayOfWeek: "friday", hourUTC: 3, minuteUTC: 0 },
    "02 03:00:00",
    "09 03:00:00",
  ],
  [{ type: "monthly", day: 15, hourUTC: 0, minuteUTC: 0 }, "15 00:00:00", ""],
  [{ type: "cron", cron: "*/20 12 * * *" }, "12:00:00", "12:20:00"],
])("%o is due at %s, then at %s", (schedule, ...expected) => {
  const { pattern, interval } = patternOf(schedule);
  const options = { interval, timezone: "UTC", paused: true };
  const runs = new Cron(pattern, options).nextRuns(2);
  const shown = runs.map((run) => run.toISOString().slice(0, 19));
  expected.forEach((time, i) => {
    const [clock = "", day = "01"] = time.split(" ").reverse();
    if (time !== "") expect(shown[i]).toBe(`2026-01-${day}T${clock}`);
  });
});
