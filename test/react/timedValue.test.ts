import { expect, test } from "vitest";
import { VirtualTiming } from "./virtualTiming.js";
import { timedValue } from "../../src/react/timedValue.js";

const DAY = 86_400_000;

/** "before" until `time`, then "after" for good. */
function changingAt(time: number, timing = new VirtualTiming(1000)) {
  const value = timedValue(timing, (now) =>
    now < time
      ? { value: "before", until: time }
      : { value: "after", until: Infinity },
  );
  const told: string[] = [];
  const listener = () => told.push(value.getSnapshot());
  return { timing, value, told, listener };
}

test("a listener is called once, at the moment of the change", () => {
  const { timing, value, told, listener } = changingAt(1500);
  value.subscribe(listener);
  timing.pass(499);
  expect([value.getSnapshot(), told]).toEqual(["before", []]);
  timing.pass(1);
  expect([value.getSnapshot(), told]).toEqual(["after", ["after"]]);
  timing.pass(DAY);
  expect(told).toEqual(["after"]);
});

test("without a listener the value is right, but no timer is set", () => {
  const { timing, value } = changingAt(1500);
  expect(value.getSnapshot()).toBe("before");
  expect(timing.timers.size).toBe(0);
  timing.pass(500);
  expect(value.getSnapshot()).toBe("after");
});

test("several listeners share one timer", () => {
  const { timing, value, told, listener } = changingAt(1500);
  value.subscribe(listener);
  value.subscribe(() => listener());
  expect(timing.timers.size).toBe(1);
  timing.pass(500);
  expect(told).toEqual(["after", "after"]);
});

test("no timer is set for a value that never changes again", () => {
  const { timing, value, listener } = changingAt(500);
  value.subscribe(listener);
  expect(timing.timers.size).toBe(0);
});

test("the last listener leaves neither a timer nor a subscription behind", () => {
  const { timing, value, told, listener } = changingAt(1500);
  const stops = [value.subscribe(listener), value.subscribe(() => {})];
  expect([timing.timers.size, timing.wakeListeners.size]).toEqual([1, 1]);
  stops[0]!();
  expect([timing.timers.size, timing.wakeListeners.size]).toEqual([1, 1]);
  stops[1]!();
  expect([timing.timers.size, timing.wakeListeners.size]).toEqual([0, 0]);
  timing.pass(DAY);
  expect(told).toEqual([]);
});

test("a listener that unsubscribes in its call leaves nothing behind", () => {
  const timing = new VirtualTiming();
  const value = timedValue(timing, (now) => ({
    value: now,
    until: now + 10,
  }));
  const stop = value.subscribe(() => stop());
  timing.pass(10);
  expect([timing.timers.size, timing.wakeListeners.size]).toEqual([0, 0]);
});

test("a timer that fires after the subscription has ended sets no other", () => {
  const { timing, value, listener } = changingAt(1500);
  const stop = value.subscribe(listener);
  const [timer] = timing.timers.values();
  stop();
  timer!.callback();
  expect(timing.timers.size).toBe(0);
});

test.each([
  { days: 24, timers: 1 },
  { days: 25, timers: 2 },
  { days: 1000, timers: 41 },
])("a wait of $days days takes $timers timers in turn", ({ days, timers }) => {
  const time = 1000 + days * DAY;
  const { timing, value, told, listener } = changingAt(time);
  let set = 0;
  const { setTimer } = timing;
  Object.assign(timing, {
    setTimer: (callback: () => void, delayMs: number) => {
      set += 1;
      return setTimer(callback, delayMs);
    },
  });
  value.subscribe(listener);
  timing.pass(days * DAY - 1);
  expect(value.getSnapshot()).toBe("before");
  expect(timing.timers.size).toBe(1);
  timing.pass(1);
  expect(told.at(-1)).toBe("after");
  expect([set, timing.refused]).toEqual([timers, 0]);
});

test("the value is right if its timer is late", () => {
  const { timing, value, told, listener } = changingAt(1500);
  value.subscribe(listener);
  timing.sleep(500);
  expect([value.getSnapshot(), told]).toEqual(["after", []]);
});

test("a page that wakes after the change is updated at once", () => {
  const { timing, value, told, listener } = changingAt(1500);
  value.subscribe(listener);
  timing.sleep(DAY);
  timing.wake();
  expect(told).toEqual(["after"]);
  expect(timing.timers.size).toBe(0);
});

test("a page that wakes before the change is updated on time, not late by its sleep", () => {
  const { timing, value, told, listener } = changingAt(1000 + 2 * DAY);
  value.subscribe(listener);
  timing.sleep(DAY);
  timing.wake();
  timing.pass(DAY - 1);
  expect(value.getSnapshot()).toBe("before");
  timing.pass(1);
  expect(told.at(-1)).toBe("after");
});

test("a clock that is set back takes the change back, until its time comes", () => {
  const { timing, value, told, listener } = changingAt(1500);
  value.subscribe(listener);
  timing.pass(500);
  timing.setBy(-1000);
  expect(value.getSnapshot()).toBe("before");
  timing.wake();
  timing.pass(1000);
  expect(told).toEqual(["after", "before", "after"]);
});

test("the same value is returned until it changes", () => {
  const timing = new VirtualTiming();
  const value = timedValue(timing, (now) => ({
    value: { now },
    until: now + 10,
  }));
  const first = value.getSnapshot();
  timing.pass(9);
  expect(value.getSnapshot()).toBe(first);
  timing.pass(1);
  expect(value.getSnapshot()).toEqual({ now: 10 });
});
