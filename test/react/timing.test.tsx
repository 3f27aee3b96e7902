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
  { late: 0, effect: "does not wake" },
  { late: 5000, effect: "does not wake" },
  { late: 5001, effect: "wakes" },
  { late: HOUR, effect: "wakes" },
  { late: -HOUR, effect: "wakes" },
])("a timer that is $late ms late $effect the page", ({ late, effect }) => {
  const callback = vi.fn();
  browserTiming.setTimer(callback, 1000);
  vi.setSystemTime(late);
  vi.advanceTimersByTime(999);
  expect(callback).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callback).toHaveBeenCalledTimes(1);
  expect(wakes).toEqual(effect === "wakes" ? [1000 + late] : []);
});

test.each([
  { by: 500, woken: 0 },
  { by: 501, woken: 1 },
  { by: -501, woken: 1 },
  { by: 30_000, woken: 1 },
  { by: -HOUR, woken: 1 },
])(
  "reading a clock that was set by $by ms then wakes the page $woken times",
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

test("without a document, only late timers wake the page", () => {
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
