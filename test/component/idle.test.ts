import { HOUR, MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { seededRandom } from "../../sim/random.js";
import { MIDNIGHT, runVacuum, useStillClock } from "../support/host.js";
import { runs } from "../support/seed.js";
import { balanceOf, startApp } from "../support/startApp.js";

useStillClock();

const KINDS = ["token bucket", "fixed window"] as const;

/** A limit in an app whose vacuum runs before each call, or never. */
function start(config: RateLimitConfig, isVacuumed: boolean) {
  const app = startApp({ limit: config });
  let now = MIDNIGHT;
  return async (wait: number, count: number) => {
    now += wait;
    vi.setSystemTime(now);
    if (isVacuumed) await runVacuum(app.t);
    // Which rows a call draws must not depend on the vacuum.
    vi.spyOn(Math, "random").mockImplementation(seededRandom(now, "functions"));
    const { ok, retryAfter } = await app.limit("limit", { count });
    const { remaining, resetAfter } = await app.details("limit");
    return { ok, retryAfter, remaining, resetAfter };
  };
}

test.each(KINDS)(
  "a %s that is split answers the same whether the vacuum has deleted its idle rows or not",
  async (kind) => {
    const config = { kind, rate: 12, period: HOUR, shards: 4 } as const;
    const play = async (isVacuumed: boolean) => {
      const take = start(config, isVacuumed);
      return [
        await take(0, 1),
        await take(80 * MINUTE, 2),
        await take(40 * MINUTE, 12),
      ];
    };
    expect(await play(false)).toEqual(await play(true));
  },
);

test("a hold with which an idle key begins anew gives back what it did not use", async () => {
  const rule = { kind: "token bucket", rate: 12, period: HOUR } as const;
  const app = startApp({ limit: { ...rule, shards: 4 } });
  await app.limit("limit", { count: 3 });
  vi.setSystemTime(MIDNIGHT + 3 * HOUR);
  const id = await app.held("limit", { count: 2 });
  expect(await balanceOf(app, "limit")).toBe(10);
  await app.settle(id, 1);
  expect(await balanceOf(app, "limit")).toBe(11);
});

const aConfig = fc.record({
  kind: fc.constantFrom(...KINDS),
  rate: fc.constantFrom(4, 12, 60),
  period: fc.constantFrom(10 * MINUTE, HOUR),
  shards: fc.constantFrom(undefined, 1, 2, 4, 16, "auto" as const),
});
const aCall = fc.tuple(
  fc.oneof(
    fc.constantFrom(0, 1, MINUTE, 10 * MINUTE, 40 * MINUTE),
    fc.integer({ min: 0, max: 3 * HOUR }),
  ),
  fc.constantFrom(1, 1, 1, 2, 3, 4),
);

test("the vacuum changes no answer to one caller, whatever it does", async () => {
  await fc.assert(
    fc.asyncProperty(
      aConfig,
      fc.array(aCall, { minLength: 2, maxLength: 12 }),
      async ({ shards, ...rule }, calls) => {
        const config = shards === undefined ? rule : { ...rule, shards };
        const take = start(config, false);
        const takeVacuumed = start(config, true);
        for (const [wait, count] of calls) {
          const answer = await take(wait, count);
          expect(answer).toEqual(await takeVacuumed(wait, count));
        }
      },
    ),
    runs(60),
  );
});
