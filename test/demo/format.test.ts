import { expect, test } from "vitest";
import {
  formatAgo,
  formatCountdown,
  formatDuration,
  formatTokens,
  formatWait,
} from "../../demo/page/format.js";

test.each([
  [0, "0 ms"],
  [0.5, "1 ms"],
  [150, "150 ms"],
  [1000, "1 s"],
  [2000, "2 s"],
  [4201, "4.3 s"],
  [20_000, "20 s"],
  [42_001, "43 s"],
  [59_999, "60 s"],
  [60_000, "1 min"],
  [125_000, "2 min 5 s"],
  [600_000, "10 min"],
  [600_350, "10 min"],
  [5_400_000, "1 h 30 min"],
  [86_400_000, "1 d"],
  [90_000_000, "1 d 1 h"],
])("%d ms are %j", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [2000, "2.0 s"],
  [1901, "2.0 s"],
  [42_001, "43 s"],
])("a countdown of %d ms reads %j", (ms, text) => {
  expect(formatCountdown(ms)).toBe(text);
});

test.each([
  [-5, "just now"],
  [9999, "just now"],
  [29_999, "20 s ago"],
  [60_000, "1 min ago"],
  [179_000, "2 min ago"],
])("%d ms back is %j", (ms, text) => {
  expect(formatAgo(ms)).toBe(text);
});

test.each([
  [1, "1 s"],
  [119, "119 s"],
  [120, "2 min"],
  [601, "10 min"],
  [7199, "2 h"],
  [86_400, "24 h"],
])("a wait of %d s reads %j on a button", (seconds, text) => {
  expect(formatWait(seconds)).toBe(text);
});

test("a balance is rounded down", () => {
  expect([4.29, 3, -0.01, 2.999_999_9].map(formatTokens)).toEqual([
    "4.2",
    "3",
    "−0.1",
    "3",
  ]);
});
