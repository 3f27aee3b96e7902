import { describe, expect, test } from "vitest";
import { MINUTE } from "../../src/core/periods.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";

const config = { kind: "token bucket", rate: 10, period: MINUTE } as const;

const ban: TimedOverride = { override: { deny: true } };
const lift: TimedOverride = { override: { unlimited: true } };
const raise: TimedOverride = { override: { config: { rate: 50 } } };

/** Each phase in short: its effect, rate and end. */
const phases = (overrides: TimedOverride[], now = 100) =>
  phasesOf("api", "anna", config, overrides, now)
    .map(({ effect, limit, until }) => `${effect} ${limit.whole.rate} ${until}`)
    .join(", ");

describe("phases", () => {
  const banned = { ...ban, startsAt: 350, expiresAt: 500 };
  const lifted = { ...lift, startsAt: 300, expiresAt: 400 };
  const lasting = { ...lift, startsAt: 30 };
  const below = { ...ban, startsAt: 20, expiresAt: 200 };
  const raised = { ...raise, startsAt: 10, expiresAt: 300 };
  const coming = { ...ban, startsAt: 200 };

  type Case = { overrides: TimedOverride[]; expected: string };

  test.each`
    claim                                                              | overrides                                              | expected
    ${"follow bans and lifts over a changed config"}                   | ${[{ ...ban, expiresAt: 200 }, lifted, banned, raise]} | ${"banned 50 200, limited 50 300, unlimited 50 350, unlimited 50 400, banned 50 500, limited 50 Infinity"}
    ${"end with overrides below a lift that lasts"}                    | ${[lasting, below, raised]}                            | ${"unlimited 50 200, unlimited 50 300, unlimited 10 Infinity"}
    ${"show below one that is to begin the one that lasts until then"} | ${[coming, raise]}                                     | ${"limited 50 200, banned 50 Infinity"}
  `("$claim", ({ overrides, expected }: Case) => {
    expect(phases(overrides)).toBe(expected);
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
    (_claim, overrides, rates) => {
      for (const { limit } of phasesOf("api", "anna", config, overrides, 100)) {
        expect(limit.knownWholes.map(({ rate }) => rate)).toEqual(rates);
      }
    },
  );
});
