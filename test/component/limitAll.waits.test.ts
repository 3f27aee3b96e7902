import {
  HOUR,
  MINUTE,
  type RateLimitConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import {
  bucket,
  exceeds,
  expectExactWait,
  startApp,
  window,
} from "../support/startApp.js";
import { runs, seedRandom } from "../support/seed.js";

useStillClock();

test("a list is granted exactly at its retryAfter, whatever was taken before", async () => {
  const counts = (max: number) =>
    fc.array(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(bucket, window),
      fc.integer({ min: 2, max: 9 }),
      counts(20),
      counts(10),
      fc.integer({ min: 0, max: 20_000 }),
      fc.integer(),
      async (config, shards, taken, wanted, pause, seed) => {
        seedRandom(seed);
        vi.setSystemTime(MIDNIGHT);
        const { limit, limitAll } = startApp({ api: config(40, shards) });
        for (const count of taken) await limit("api", { count });
        vi.setSystemTime(MIDNIGHT + pause);
        const list = wanted.map((count) => ({ name: "api", count }));
        const { ok } = await limitAll(list);
        if (ok) return;
        await expectExactWait(() => limitAll(list));
      },
    ),
    runs(12),
  );
});

describe("a list with reservations of the same limit", () => {
  test.each([1, 4])(
    "over %i rows waits for the sum of its counts if one is refused",
    async (shards) => {
      const { limitAll, limit } = startApp({
        api: { ...bucket(40, shards), maxReserved: 40 },
      });
      await limit("api", { count: 20 });
      const list = [
        { name: "api", count: 30 },
        { name: "api", count: 0, reserve: true },
        { name: "api", count: 5 },
      ];
      const wait = await expectExactWait(() => limitAll(list));
      // 20 of 35 tokens are there. With several rows, full rows gain nothing meanwhile.
      if (shards === 1) expect(wait).toBe(22_500);
    },
  );
});

/** An override of a limit, in minutes from now. */
type Change = [
  name: "first" | "second",
  change: SetOverrideOptions,
  from: number | undefined,
  to?: number,
];

const ban: SetOverrideOptions = { deny: true };
const lift: SetOverrideOptions = { unlimited: true };
const capacity = (tokens: number): SetOverrideOptions => ({
  config: { capacity: tokens },
});

const none = undefined;
const dry: SetOverrideOptions = { config: { enforce: false } };
const dryRuns: Change[] = [
  ["first", ban, 20, 40],
  ["first", dry, none],
  ["second", dry, 10, 15],
];
const bans: Change[] = [
  ["second", ban, none, 50],
  ["first", ban, 50, 60],
];

/** The second limit is empty, and has 6 tokens in 36 minutes. */
const waitedFor: [string, Change[], count: number, wait: number][] = [
  ["a ban that lasts longer than the refill", [["first", ban, 20, 40]], 1, 40],
  ["a ban that begins when that of the other limit ends", bans, 1, 60],
  ["the end of a capacity too low", [["first", capacity(5), 30, 90]], 8, 90],
  ["a dry run of both limits", dryRuns, 11, 10],
];

describe.each([
  ["in one row", {}],
  ["over three rows", { shards: 3 }],
])("a list %s", (_, mode) => {
  const tenAnHour: RateLimitConfig = {
    kind: "token bucket",
    rate: 10,
    period: HOUR,
    overrides: true,
    ...mode,
  };

  async function tell(changes: readonly Change[]) {
    const app = startApp({ first: tenAnHour, second: tenAnHour });
    const { setOverride, limit } = app;
    await limit("second", { count: 10 });
    const at = (minutes: number | undefined) =>
      minutes === undefined ? undefined : MIDNIGHT + minutes * MINUTE;
    for (const [name, change, from, to] of changes) {
      const times = { startsAt: at(from), expiresAt: at(to) };
      const override = { ...change, ...times };
      await setOverride(name, override);
    }
    return app;
  }

  const listed = (count: number) => [
    { name: "first", count },
    { name: "second", count: 2 },
    { name: "second", count: 4 },
  ];

  test.each(waitedFor)("waits for %s", async (_, changes, count, wait) => {
    const { limitAll, checkAll, holdAll } = await tell(changes);
    const moments = changes
      .flatMap(([, , from = 0, to = 0]) => [from, to])
      .flatMap((minutes) => [minutes * MINUTE - 1, minutes * MINUTE]);
    const list = listed(count);
    const retryAfter = wait * MINUTE;
    expect(await checkAll(list)).toMatchObject({ ok: false, retryAfter });
    const ask = () => limitAll(list);
    expect(await holdAll(list)).toEqual(await ask());
    expect(await expectExactWait(ask, moments)).toBe(retryAfter);
  });

  test("is an error if it can never be granted as a whole", async () => {
    const { limitAll } = await tell([["first", lift, undefined, 30]]);
    const all = limitAll(listed(11));
    await expect(all).rejects.toEqual(exceeds("first", 11));
  });
});
