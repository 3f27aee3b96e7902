import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserTiming } from "../../src/react/timing.js";

const HOUR = 3_600_000;

const wakes: number[] = [];
let stop: () => void;

beforeEach(async () => {
  vi.useFakeTimers({ now: 0 });
  browserTiming.now();
  await Promise.resolve();
  stop = browserTiming.onWake(() => wakes.push(browserTiming.now()));
});

afterEach(() => {
  stop();
  wakes.length = 0;
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const emit = (target: EventTarget, type: string) =>
  target.dispatchEvent(new Event(type));

test.each([
  { target: document, type: "visibilitychange" },
  { target: window, type: "pageshow" },
  { target: window, type: "online" },
])("$type wakes the page, until nobody listens", ({ target, type }) => {
  emit(target, type);
  expect(wakes).toHaveLength(1);
  const stopAnother = browserTiming.onWake(() => {});
  stop();
  emit(target, type);
  expect(wakes).toHaveLength(1);
  stopAnother();
});

test("a page that is hidden does not wake", () => {
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  emit(document, "visibilitychange");
  expect(wakes).toHaveLength(0);
});

test.each([
  { late: 0, woken: false },
  { late: 5000, woken: false },
  { late: 5001, woken: true },
  { late: HOUR, woken: true },
  { late: -HOUR, woken: true },
])("a timer $late ms late: the page has slept: $woken", ({ late, woken }) => {
  const callback = vi.fn();
  browserTiming.setTimer(callback, 1000);
  vi.setSystemTime(late);
  vi.advanceTimersByTime(999);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledTimes(1);
  expect(wakes).toEqual(woken ? [1000 + late] : []);
});

test.each([
  { by: 500, woken: 0 },
  { by: 501, woken: 1 },
  { by: -501, woken: 1 },
  { by: 30_000, woken: 1 },
  { by: -HOUR, woken: 1 },
])(
  "a reading of a clock that was set by $by ms wakes the page $woken times, after it",
  async ({ by, woken }) => {
    vi.advanceTimersByTime(HOUR);
    vi.setSystemTime(HOUR + by);
    expect(browserTiming.now()).toBe(HOUR + by);
    expect(browserTiming.now()).toBe(HOUR + by);
    expect(wakes).toHaveLength(0);
    await Promise.resolve();
    browserTiming.now();
    await Promise.resolve();
    expect(wakes).toEqual(Array(woken).fill(HOUR + by));
  },
);

test("a timer that is cancelled never fires", () => {
  const callback = vi.fn();
  browserTiming.setTimer(callback, 1000)();
  vi.advanceTimersByTime(HOUR);
  expect(callback).not.toHaveBeenCalled();
});

test("where there is no document, there are only timers to wake by", () => {
  stop();
  vi.stubGlobal("document", undefined);
  stop = browserTiming.onWake(() => wakes.push(browserTiming.now()));
  browserTiming.setTimer(() => {}, 1000);
  vi.setSystemTime(HOUR);
  vi.advanceTimersByTime(1000);
  expect(wakes).toEqual([HOUR + 1000]);
  stop();
  vi.unstubAllGlobals();
});
