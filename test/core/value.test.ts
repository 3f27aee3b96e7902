import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../src/core/periods.js";
import type { ShownPhase } from "../../src/core/validators.js";
import { projectionOf } from "../../src/core/value.js";

const config = { kind: "token bucket", rate: 60, period: MINUTE } as const;
const NOW = 1_000_000;

const phase = (more: Partial<ShownPhase>): ShownPhase => ({
  effect: "limited",
  config,
  shards: 1,
  rows: [],
  ...more,
});

const of = (...phases: ShownPhase[]) =>
  projectionOf({ value: 0, ts: 0, phases }, config);

describe("a client projects", () => {
  test("the rows that it knows, and the others as full", () => {
    const rows = [{ value: 3, ts: NOW }];
    const { balanceAt } = of(phase({ shards: 4, rows })).phaseAt(NOW);
    expect(balanceAt(NOW).value).toBe(48);
    // A row regains its share of the rate, and no more than its share of the capacity.
    expect(balanceAt(NOW + 4000).value).toBe(49);
    expect(balanceAt(NOW + HOUR).value).toBe(60);
  });

  test("rows of different times at the newest", () => {
    const rows = [
      { value: 0, ts: NOW },
      { value: -5, ts: NOW + 2000 },
    ];
    const { balanceAt } = of(phase({ shards: 2, rows })).phaseAt(NOW);
    expect(balanceAt(NOW)).toEqual({ value: -4, ts: NOW + 2000 });
  });

  test("a limit as full from fullFrom on, whatever its rows hold", () => {
    const rows = [{ value: -5, ts: NOW }];
    const { balanceAt } = of(phase({ rows, fullFrom: NOW + 20 })).phaseAt(NOW);
    expect(balanceAt(NOW + 19).value).toBeLessThan(0);
    expect(balanceAt(NOW + 20).value).toBe(60);
  });

  test.each([
    [500, 960_500],
    [undefined, 960_000],
  ])("the window that is running, with start: %j", (start, ts) => {
    const windowed = { ...config, kind: "fixed window", start } as const;
    const { balanceAt } = of(phase({ config: windowed })).phaseAt(NOW);
    expect(balanceAt(NOW)).toEqual({ value: 60, ts });
  });

  test("leases until each ends by the clock, even if one was taken later than now", () => {
    const leased = { ...config, rate: 0, capacity: 3 };
    const rows = [
      { value: 2, ts: NOW + 100, endsAt: NOW + 500 },
      { value: 2, ts: NOW, endsAt: NOW + 50 },
    ];
    const { balanceAt } = of(phase({ config: leased, rows })).phaseAt(NOW);
    expect(balanceAt(NOW)).toEqual({ value: 1, ts: NOW + 100 });
    expect(balanceAt(NOW + 49).value).toBe(1);
    expect(balanceAt(NOW + 50).value).toBe(2);
  });
});
