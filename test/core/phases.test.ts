import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MINUTE } from "../../src/core/periods.js";
import {
  phasesOf,
  overridesToKeep,
  type Overrides,
} from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";

const config = { kind: "token bucket", rate: 10, period: MINUTE } as const;

const ban: TimedOverride = { override: { deny: true } };
const lift: TimedOverride = { override: { unlimited: true } };
const raise: TimedOverride = { override: { config: { rate: 50 } } };

/** Each phase in short: its effect, rate and end. */
const phases = (overrides: Partial<Overrides> | undefined, now = 100) =>
  phasesOf(
    "api",
    "anna",
    config,
    overrides && { ofKey: [], ofLimit: [], ...overrides },
    now,
  ).map(({ effect, limit, until }) => [effect, limit.whole.rate, until]);

describe("phases", () => {
  test.each([
    [
      "follow bans and lifts over a changed config",
      {
        ofKey: [
          { ...ban, expiresAt: 200 },
          { ...lift, startsAt: 300, expiresAt: 400 },
        ],
        ofLimit: [{ ...ban, startsAt: 350, expiresAt: 500 }, raise],
      },
      [
        ["banned", 50, 200],
        ["limited", 50, 300],
        ["unlimited", 50, 350],
        ["unlimited", 50, 400],
        ["banned", 50, 500],
        ["limited", 50, Infinity],
      ],
    ],
    [
      "end with overrides below a lift that lasts",
      {
        ofKey: [
          { ...raise, startsAt: 10, expiresAt: 300 },
          { ...ban, startsAt: 20, expiresAt: 200 },
          { ...lift, startsAt: 30 },
        ],
      },
      [
        ["unlimited", 50, 200],
        ["unlimited", 50, 300],
        ["unlimited", 10, Infinity],
      ],
    ],
  ] as [string, Partial<Overrides> | undefined, unknown[][]][])(
    "%s",
    (_claim, overrides, expected) => {
      expect(phases(overrides)).toEqual(expected);
    },
  );

  test("show the config as an override changes it", () => {
    const shown = (ofKey: TimedOverride[]) =>
      phasesOf("api", undefined, config, { ofKey, ofLimit: [] }, 0)[0].config;
    expect(shown([raise])).toEqual({ ...config, rate: 50 });
    expect(shown([ban])).toEqual({ ...config, enforce: true });
  });

  test.each<[string, TimedOverride[], number[]]>([
    ["none, without a changed config", [ban, { ...lift, startsAt: 300 }], []],
    ["the usual one and the override's", [raise], [10, 50]],
    [
      "the usual one and those of all phases",
      [
        { ...raise, expiresAt: 200 },
        { override: { config: { rate: 7 } }, startsAt: 400 },
      ],
      [10, 50, 10, 7],
    ],
  ])(
    "know the rates of all phases, if one changes the config: %s",
    (_claim, ofKey, rates) => {
      const known = phasesOf(
        "api",
        "anna",
        config,
        { ofKey, ofLimit: [] },
        100,
      );
      for (const { limit } of known) {
        expect(limit.knownWholes.map(({ rate }) => rate)).toEqual(rates);
      }
      const ofLimit = phasesOf(
        "api",
        "anna",
        config,
        { ofKey: [], ofLimit: ofKey },
        100,
      );
      expect(ofLimit[0].limit.knownWholes).toHaveLength(rates.length);
    },
  );

  test("enforce a ban over a dry run", () => {
    const dryRun = { override: { config: { enforce: false, rate: 50 } } };
    const overrides = { ofKey: [ban], ofLimit: [dryRun] };
    for (const enforce of [undefined, true, false, 0]) {
      const below = { ...config, enforce };
      const [phase] = phasesOf("api", "anna", below, overrides, 0);
      expect(phase.limit.enforce).toBe(true);
      expect(phase.config).toEqual({ ...config, rate: 50, enforce: true });
    }
  });

  test("leave a key's windows where they are without overrides", () => {
    const window = { kind: "fixed window", rate: 10, period: MINUTE } as const;
    const startOf = (overrides: Overrides | undefined) =>
      phasesOf(
        "api",
        "anna",
        window,
        overrides,
        0,
      )[0].limit.whole.refill.startAt(0);
    const start = startOf(undefined);
    expect(start).not.toBe(0);
    expect(startOf({ ofKey: [raise], ofLimit: [] })).toBe(start);
    expect(startOf({ ofKey: [ban], ofLimit: [] })).toBe(start);
    expect(startOf({ ofKey: [], ofLimit: [] })).toBe(start);
  });
});

// The oracle is `phasesOf` itself, given all overrides that were stored.
test("at most five stored overrides are kept, which apply as all would", () => {
  const beginOf = ({ startsAt = -1, setAt = -1 }: TimedOverride) =>
    Math.max(startsAt, setAt);
  const time = fc.option(fc.nat(20), { nil: undefined });
  const stored = fc
    .record({
      override: fc.constantFrom(ban.override, lift.override, raise.override),
      startsAt: time,
      setAt: time,
      expiresAt: time,
    })
    .filter((one) => (one.expiresAt ?? 21) > beginOf(one));
  const penalty = fc
    .record({ startsAt: fc.nat(20), lasts: fc.nat(9), forgetAfter: fc.nat(3) })
    .map(({ startsAt, lasts, forgetAfter }): TimedOverride => {
      const expiresAt = startsAt + lasts;
      const forgetAt = expiresAt + forgetAfter;
      return { ...ban, startsAt, expiresAt, bans: 1, forgetAt };
    });
  const overrideOf = (ofKey: TimedOverride[], time: number) =>
    phasesOf("api", "anna", config, { ofKey, ofLimit: [] }, time)[0].override;
  fc.assert(
    fc.property(
      fc.uniqueArray(stored, { selector: beginOf }),
      fc.array(penalty, { maxLength: 1 }),
      fc.nat(20),
      (others, bans, now) => {
        const isComing = ({ startsAt = 0 }: TimedOverride) => startsAt > now;
        // setOverride leaves no more of these.
        fc.pre(others.filter(isComing).length <= 1);
        const all: TimedOverride[] = [...bans, ...others];
        const ofKey = overridesToKeep(all, now);
        expect(ofKey.length).toBeLessThanOrEqual(5);
        const ending = ofKey.filter(
          (one) => one.bans === undefined && !isComing(one) && one.expiresAt,
        );
        expect(ending.length).toBeLessThanOrEqual(2);
        for (let time = now; time <= 21; time++) {
          expect(overrideOf(ofKey, time)).toBe(overrideOf(all, time));
        }
      },
    ),
  );
});
