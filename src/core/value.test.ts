import { describe, expect, test } from "vitest";
import { HOUR, MINUTE } from "./periods.js";
import { balanceUnder, projectionOf } from "./value.js";

const config = { kind: "token bucket", rate: 60, period: MINUTE } as const;
const NOW = 1_000_000;

describe("what a client knows of a limit", () => {
  test("of a balance and its time: one row, and the config for ever", () => {
    const { rules, rows } = projectionOf({ value: 3, ts: NOW }, config, NOW);
    expect(rows).toEqual([{ shard: 0, value: 3, ts: NOW }]);
    expect(rules).toHaveLength(1);
    expect(rules[0]).toMatchObject({
      effect: "limited",
      config,
      until: Infinity,
      limit: { name: "", shards: 1, usualCapacity: 60 },
    });
  });

  test("of stored rows: those, and over how many the limit is split", () => {
    const stored = [{ shard: 2, value: 3, ts: NOW, of: 4 }];
    const value = { value: 93, ts: NOW, rows: stored };
    const { rules, rows } = projectionOf(
      value,
      { ...config, capacity: 120 },
      NOW,
    );
    expect(rows).toEqual(stored);
    expect(rules[0].limit).toMatchObject({ shards: 4, usualCapacity: 120 });
  });

  test("of no rows at all: a limit that is full, in one row", () => {
    const full = { value: 0, ts: 0, rows: [] };
    const { rules, rows } = projectionOf(full, config, NOW);
    expect(rows).toEqual([]);
    expect(rules[0].limit.shards).toBe(1);
  });

  const banned = { effect: "banned" as const, config, until: NOW + 5 };
  const later = {
    effect: "unlimited" as const,
    config: { ...config, rate: 5 },
    until: NOW + HOUR,
  };
  const last = { effect: "limited" as const, config: { ...config, rate: 7 } };

  test.each([
    ["all that still hold", NOW + 4, ["banned", "unlimited", "limited"]],
    ["not one that has just ended", NOW + 5, ["unlimited", "limited"]],
    ["the last one, when all others have ended", NOW + HOUR, ["limited"]],
  ])("of rules: %s", (_claim, at, effects) => {
    const value = { value: 3, ts: NOW, rules: [banned, later, last] };
    const { rules } = projectionOf(value, config, at);
    expect(rules.map(({ effect }) => effect)).toEqual(effects);
    expect(rules.at(-1)).toMatchObject({
      until: Infinity,
      config: { rate: 7 },
    });
    if (rules.length > 1)
      expect(rules.at(-2)).toMatchObject({
        until: NOW + HOUR,
        limit: { whole: { rate: 5 } },
      });
  });

  test("of rules that have all ended: the last one", () => {
    const value = { value: 3, ts: NOW, rules: [later, later, banned] };
    const { rules } = projectionOf(value, config, NOW + 2 * HOUR);
    expect(rules).toMatchObject([{ effect: "banned" }]);
  });
});

describe("the balance that a rule shows", () => {
  const under = (effect: "limited" | "banned" | "unlimited", at = NOW) => {
    const rows = [
      { shard: 0, value: 3, ts: NOW, of: 2 },
      { shard: 1, value: -5, ts: NOW + 10, of: 2 },
    ];
    const value = { value: -2, ts: NOW, rows, rules: [{ effect, config }] };
    return balanceUnder(projectionOf(value, config, at).rules[0], rows, at);
  };

  test.each([
    ["limited", { value: -1.995, ts: NOW + 10 }],
    ["banned", { value: 0, ts: NOW + 10 }],
    ["unlimited", { value: 60, ts: NOW + 10 }],
  ] as const)("%s: %j, at the time of the newest row", (effect, expected) => {
    expect(under(effect)).toEqual({
      ...expected,
      value: expect.closeTo(expected.value, 9) as number,
    });
  });

  test("grows with time", () => {
    expect(under("limited", NOW + 2010)).toEqual({
      value: expect.closeTo(0.005, 9) as number,
      ts: NOW + 2010,
    });
  });

  test("is told at the later of two windows' beginnings", () => {
    const window = { ...config, kind: "fixed window" as const, start: 0 };
    const rows = [960_000, 950_000].map((ts, shard) => ({
      shard,
      value: 1,
      ts,
      of: 2,
    }));
    const { rules } = projectionOf(
      { value: 2, ts: 960_000, rows },
      window,
      NOW,
    );
    expect(balanceUnder(rules[0], rows, NOW)).toEqual({
      value: 2,
      ts: 960_000,
    });
  });
});
