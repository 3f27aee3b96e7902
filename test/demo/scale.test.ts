import fc from "fast-check";
import { expect, test } from "vitest";
import { roundScale, timeStep } from "../../demo/page/chart/scale.js";

test.each([
  [0, 10, { min: 0, max: 10, interval: 2 }],
  [0, 1, { min: 0, max: 1, interval: 0.2 }],
  [-4, 6, { min: -4, max: 6, interval: 2 }],
  [-10, 10, { min: -10, max: 10, interval: 5 }],
  [0, 100 / 7, { min: 0, max: 15, interval: 5 }],
  [0, 40_000, { min: 0, max: 40_000, interval: 10_000 }],
  [-3, 0, { min: -3, max: 1, interval: 1 }],
  [0, 0, { min: 0, max: 1, interval: 1 }],
])("from %d to %d the axis is %o", (lowest, highest, scale) => {
  expect(roundScale(lowest, highest)).toEqual(scale);
});

test("an axis covers its range, has a tick at zero and at both ends, and few ticks", () => {
  const ends = fc.double({ min: 1e-3, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(ends, ends, (debt, capacity) => {
      const { min, max, interval } = roundScale(-debt, capacity);
      const slack = 1e-6 * interval;
      expect(min).toBeLessThanOrEqual(-debt + slack);
      expect(max).toBeGreaterThanOrEqual(capacity - slack);
      for (const ticks of [min / interval, max / interval]) {
        expect(ticks).toBeCloseTo(Math.round(ticks), 6);
      }
      expect((max - min) / interval).toBeLessThanOrEqual(7.000_001);
    }),
  );
});

test.each([
  [45_000, 6, 10_000],
  [90_000, 6, 15_000],
  [2_160_000, 6, 600_000],
  [194_400_000, 6, 43_200_000],
  [6_048_000_000, 6, 1_728_000_000],
  [225, 6, 50],
])("%d ms with about %d ticks have one every %d ms", (span, ticks, step) => {
  expect(timeStep(span, ticks)).toBe(step);
});
