import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../src/core/periods.js";
import { projectionOf, type ShownPhase } from "../../src/core/value.js";

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

describe("what a client knows of a limit", () => {
  test("of some rows: those, and the others full", () => {
    const rows = [{ value: 3, ts: NOW }];
    const { balanceAt } = of(phase({ shards: 4, rows })).phaseAt(NOW);
    expect(balanceAt(NOW).value).toBe(48);
    // A row regains its share of the rate, and no more than its share of the capacity.
    expect(balanceAt(NOW + 4000).value).toBe(49);
    expect(balanceAt(NOW + HOUR).value).toBe(60);
  });

  test("of rows of different times: all at the newest", () => {
    const rows = [
      { value: 0, ts: NOW },
      { value: -5, ts: NOW + 2000 },
    ];
    const { balanceAt } = of(phase({ shards: 2, rows })).phaseAt(NOW);
    expect(balanceAt(NOW)).toEqual({ value: -4, ts: NOW + 2000 });
  });

  test("from fullFrom on it is full, whatever its rows hold", () => {
    const rows = [{ value: -5, ts: NOW }];
    const { balanceAt } = of(phase({ rows, fullFrom: NOW + 20 })).phaseAt(NOW);
    expect(balanceAt(NOW + 19).value).toBeLessThan(0);
    expect(balanceAt(NOW + 20).value).toBe(60);
  });

  test("of a limit that is lifted: its capacity, whatever its rows hold", () => {
    const rows = [{ value: 3, ts: NOW }];
    const { balanceAt } = of(phase({ effect: "unlimited", rows })).phaseAt(NOW);
    expect(balanceAt(NOW).value).toBe(60);
  });

  test.each([
    [500, 960_500],
    [undefined, 960_000],
  ])("of windows that start at %j: the one that holds now", (start, ts) => {
    const windowed = { ...config, kind: "fixed window", start } as const;
    const { balanceAt } = of(phase({ config: windowed })).phaseAt(NOW);
    expect(balanceAt(NOW)).toEqual({ value: 60, ts });
  });

  test("of leases: each ends by the clock, also if another was taken later than now", () => {
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

describe("when a request is granted", () => {
  const rows = [{ value: 0, ts: NOW }];
  const full = { ...config, capacity: 10, headroom: 0 };
  const empty = phase({ config: full, rows });
  const banned = (until?: number) => phase({ effect: "banned", until });
  const dryRun = phase({ config: { ...full, enforce: false }, rows });
  const lifted = phase({ effect: "unlimited", config: full });
  const headroom = phase({ config: { ...full, headroom: 4 }, rows });
  const until = (until: number) => ({ ...empty, until });

  test.each([
    ["the whole capacity", [empty], 10, 10_000],
    ["when the tokens are there, of a dry run", [dryRun], 3, 3000],
    ["never more than the capacity", [empty], 10.1, Infinity],
    ["nor before they are there", [banned(NOW + 1000), empty], 3, 3000],
    ["at once when the limit is lifted", [until(NOW + 700), lifted], 1000, 700],
    ["in the last ms of it", [until(NOW + 10_001), banned()], 10, 10_000],
    ["when no more than the headroom is left", [headroom], 3, 7000],
    ["never what only the headroom holds", [headroom], 7, Infinity],
  ])("%s", (_claim, phases, count, wait) => {
    const projection = of(...phases);
    expect(projection.waitFor(count, NOW)).toBe(wait);
    if (wait === Infinity) return;
    expect(projection.waitFor(count, NOW + wait - 1)).toBe(1);
    expect(projection.waitFor(count, NOW + wait)).toBe(0);
  });

  test("at once when it is not enforced any more", () => {
    const projection = of(until(NOW + 700), dryRun);
    expect(projection.waitFor(1000, NOW)).toBe(700);
    expect(projection.waitFor(1000, NOW + 699)).toBe(1);
  });
});
