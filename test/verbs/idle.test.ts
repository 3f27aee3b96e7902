import fc from "fast-check";
import { expect, test } from "vitest";
import { toStored, type RateLimitConfig } from "../../src/core/config.js";
import { DAY, HOUR } from "../../src/core/periods.js";
import {
  afterWrites,
  allFullAt,
  IDLE_AFTER,
  type Row,
  shownRows,
} from "../../src/core/rows.js";
import { timeUntilGranted } from "../../src/core/wait.js";
import { optional } from "../support/arbitraries.js";
import { MIDNIGHT } from "../support/host.js";
import { openLimitOf } from "../support/memoryLedger.js";
import { runs, seedRandom } from "../support/seed.js";

const aConfig = fc
  .record({
    of: fc.constantFrom<object>(
      { kind: "token bucket", period: HOUR },
      { kind: "fixed window", period: 5 * HOUR, start: 7 },
      { kind: "fixed window", period: DAY },
      { kind: "fixed window", period: "day", timeZone: "Asia/Kolkata" },
      { kind: "fixed window", period: "month" },
    ),
    numbers: fc.record({
      rate: fc.integer({ min: 1, max: 24 }),
      capacity: fc.integer({ min: 10, max: 99 }),
      shards: fc.constantFrom<number | "auto">(1, 2, 5, "auto"),
    }),
  })
  .map(
    ({ of, numbers }) =>
      toStored({ ...of, ...numbers } as never) as RateLimitConfig,
  );

/** An override that holds, or begins an hour later. */
const anOverride = fc.record({
  override: fc.record({
    config: fc.constantFrom({ capacity: 12 }, { rate: 90 }, { capacity: 200 }),
  }),
  startsAt: fc.constantFrom(0, HOUR),
});

const aVersion = fc.record({ config: aConfig, override: optional(anOverride) });

const aCount = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200));

// The oracle is the same call on a key without rows.
test("an idle key answers as one without rows, whatever its rule was and is", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(aVersion, aCount), { minLength: 1, maxLength: 4 }),
      aVersion,
      aCount,
      fc.nat(3 * DAY),
      async (uses, version, count, later) => {
        const open = (
          { config, override }: typeof version,
          rows: readonly Row[],
          now: number,
        ) => {
          const overrides = override && [
            { ...override, startsAt: now + override.startsAt },
          ];
          return openLimitOf(config, rows, { now, overrides });
        };
        let rows: readonly Row[] = [];
        let now = MIDNIGHT;
        for (const [version, count] of uses) {
          now += HOUR;
          const opened = open(version, rows, now);
          const charge = { count, debt: "any", leave: 0, upTo: false } as const;
          const decision = await opened.ledger.decide([charge], Math.random);
          if (!decision.ok) throw new Error("A charge was denied.");
          rows = afterWrites(opened.asStored, decision.writes);
        }
        now = allFullAt(rows) + IDLE_AFTER + later;
        const answers = async (rows: readonly Row[]) => {
          seedRandom(1);
          const opened = open(version, rows, now);
          const { phases } = opened;
          const demands = [
            { count, debt: "none", leave: 0, upTo: false } as const,
          ];
          const shown = phases.map(({ limit }) => shownRows(limit, rows, now));
          const decision = await opened.ledger.decide(demands, Math.random);
          // Which rows it reads and writes does not matter: only a key without rows begins with several.
          if (decision.ok) return { shown, ...decision, writes: undefined };
          const { forecast, refused } = decision;
          const waiting = [{ phases, demands, forecast }];
          let wait: unknown;
          try {
            wait = timeUntilGranted(waiting, now);
          } catch (error) {
            wait = String(error);
          }
          return { shown, refused, wait };
        };
        expect(await answers(rows)).toEqual(await answers([]));
      },
    ),
    runs(300),
  );
});
