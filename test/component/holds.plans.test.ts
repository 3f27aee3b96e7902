import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { RefillingConfig } from "convex-rate-limiter";
import { HOUR, MINUTE } from "../../src/core/periods.js";
import { balanceOf, startApp, type App } from "../support/startApp.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { runs, seedRandom } from "../support/seed.js";

useStillClock();

const name = "api";

/** Plans of one limit, in the same number of rows. */
const plans = [
  { kind: "token bucket", rate: 20, period: MINUTE },
  { kind: "token bucket", rate: 100, period: HOUR, capacity: 50 },
  { kind: "fixed window", rate: 30, period: MINUTE, start: 0 },
  { kind: "fixed window", rate: 40, period: 7 * MINUTE, capacity: 60 },
] as const;

const modes = [{}, { shards: 4 }, { shards: "auto" }] as const;

/** A charge by one of the plans, after a wait. */
const aCharge = fc.record({
  wait: fc.oneof(fc.nat(MINUTE), fc.nat(10 * MINUTE)),
  plan: fc.nat(plans.length - 1),
  count: fc.integer({ min: 1, max: 12 }),
});

/* The oracle holds what will be used, and charges the rest. */
test("a hold from an earlier plan is settled by the key's plan, as if it had taken what it used", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...modes),
      aCharge,
      fc.array(aCharge, { maxLength: 3 }),
      fc.record({
        wait: fc.oneof(fc.nat(MINUTE), fc.nat(HOUR)),
        used: fc.integer({ min: 1, max: 30 }),
        later: fc.nat(HOUR),
      }),
      async (mode, held, charges, { wait, used, later }) => {
        const planOf = (plan: number) =>
          ({ config: { ...plans[plan], ...mode } }) as {
            config: RefillingConfig;
          };
        /** The balances after a hold and charges, and once it is settled in this way. */
        const after = async (
          count: number,
          settle: (app: App, id: string) => Promise<unknown>,
        ) => {
          vi.setSystemTime(MIDNIGHT);
          seedRandom(1);
          const app = startApp({});
          const hold = await app.mutate((ctx) =>
            app.limiter.hold(ctx, name, { count, ...planOf(held.plan) }),
          );
          if (!hold.ok) throw new Error("It was denied.");
          for (const { wait, plan, count } of charges) {
            vi.setSystemTime(Date.now() + wait);
            await app.charge(name, { count, ...planOf(plan) });
          }
          vi.setSystemTime(Date.now() + wait);
          seedRandom(2);
          await settle(app, hold.id);
          const now = await balanceOf(app, name, last);
          vi.setSystemTime(Date.now() + later);
          return [now, await balanceOf(app, name, last)];
        };
        const last = planOf(charges.at(-1)?.plan ?? held.plan);
        const settled = await after(held.count, (app, id) =>
          app.settle(id, used),
        );
        const more = used - held.count;
        const known = await after(Math.min(used, held.count), async (app) => {
          if (more > 0) await app.charge(name, { count: more, ...last });
        });
        for (const [i, balance] of settled.entries()) {
          if ("shards" in mode) {
            expect(balance).toBeLessThan(known[i]! + 1e-6);
          } else expect(balance).toBeCloseTo(known[i]!, 6);
        }
      },
    ),
    runs(20),
  );
});

describe("a hold of an inline config on a key with an override", () => {
  const config = {
    kind: "token bucket",
    rate: 1,
    period: HOUR,
    capacity: 1000,
    overrides: true,
  } as const;
  const key = "k";
  /** A key that has used up all that it had. */
  const start = async (mode: object) => {
    const app = startApp({});
    const own = { ...config, ...mode };
    await app.charge(name, { key, count: 1000, config: own });
    return { app, own };
  };
  const fast = { key, config: { rate: 600 } };
  const balance = (app: App, own: RefillingConfig) =>
    balanceOf(app, name, { key, config: own });

  test.each([[{}], [{ shards: 4 }], [{ shards: "auto" }]])(
    "with %j is settled without the override, if that has ended",
    async (mode) => {
      const { app, own } = await start(mode);
      await app.setOverride(name, { ...fast, expiresAt: MIDNIGHT + MINUTE });
      vi.setSystemTime(MIDNIGHT + 30_000);
      const id = await app.held(name, { key, count: 3, config: own });
      vi.setSystemTime(MIDNIGHT + 90 * MINUTE);
      const before = await balance(app, own);
      await app.settle(id, 2);
      expect(await balance(app, own)).toBeCloseTo(before + 1, 6);
      expect(before).toBeLessThan(5);
    },
  );

  test.each([[{}], [{ shards: 4 }], [{ shards: "auto" }]])(
    "with %j is settled with the override that is in force",
    async (mode) => {
      const { app, own } = await start(mode);
      await app.credit(name, { key, count: 10, config: own });
      const id = await app.held(name, { key, count: 3, config: own });
      await app.setOverride(name, fast);
      vi.setSystemTime(MIDNIGHT + HOUR);
      expect(await balance(app, own)).toBeCloseTo(607, 6);
      await app.settle(id, 5);
      expect(await balance(app, own)).toBeCloseTo(605, 6);
    },
  );
});
