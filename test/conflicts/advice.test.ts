import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ours, type Limiter } from "../../bench/limiters.js";
import { simulate, type Scenario } from "../../bench/simulate.js";

const said: string[] = [];
beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, "warn").mockImplementation(
    (text: string) => void said.push(text),
  );
});
afterEach(() => void vi.restoreAllMocks());

/** As the bench has it, but with advice. */
const advising: Limiter = {
  ...ours,
  toSent: (config) => config,
};

const nearOneRow: Scenario = {
  config: { kind: "token bucket", rate: 100, period: 1000, shards: 1 },
  arrivalsPerSecond: 95,
  seconds: 2,
  executionMs: 10,
};

test("advice is given where calls are lost", async () => {
  await simulate(advising, nearOneRow, 1);
  expect(said.length).toBeGreaterThan(0);
  for (const text of said) {
    expect(text).toMatch(
      /^Rate limit limit: calls came within \d\d? ms on one/,
    );
    expect(text).toContain('Try shards: "auto".');
  }
});

test("advice changes no answer, no row and no conflict", async () => {
  const silent = await simulate(ours, nearOneRow, 1);
  expect(said).toEqual([]);
  expect(await simulate(advising, nearOneRow, 1)).toEqual(silent);
  expect(said).not.toEqual([]);
});
