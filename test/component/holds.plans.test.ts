import fc from "fast-check";
import { expect, test, vi } from "vitest";
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

/* The oracle is the same calls with a credit or a charge in place of settle. */
test("a hold from an earlier plan is settled like a credit or charge by the key's plan", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...modes),
      aCharge,
      fc.array(aCharge, { maxLength: 3 }),
      fc.record({ wait: fc.nat(HOUR), used: fc.nat(30), later: fc.nat(HOUR) }),
      fc.nat(plans.length - 1),
      async (mode, held, charges, { wait, used, later }, reader) => {
        const planOf = (plan: number) =>
          ({ config: { ...plans[plan], ...mode } }) as {
            config: RefillingConfig;
          };
        /** The balances after a hold and charges, and once it is settled in this way. */
        const after = async (
          settle: (app: App, id: string, unused: number) => Promise<unknown>,
        ) => {
          vi.setSystemTime(MIDNIGHT);
          seedRandom(1);
          const app = startApp({});
          const { count } = held;
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
          await settle(app, hold.id, count - used);
          const now = await balanceOf(app, name, planOf(reader));
          vi.setSystemTime(Date.now() + later);
          return [now, await balanceOf(app, name, planOf(reader))];
        };
        const last = planOf(charges.at(-1)?.plan ?? held.plan);
        const settled = await after((app, id) =>
          app.mutate((ctx) => app.limiter.settle(ctx, id, { count: used })),
        );
        const corrected = await after(async (app, _, unused) => {
          if (unused > 0) await app.credit(name, { count: unused, ...last });
          if (unused < 0) await app.charge(name, { count: -unused, ...last });
        });
        expect(settled[0]).toBeCloseTo(corrected[0]!, 6);
        expect(settled[1]).toBeCloseTo(corrected[1]!, 6);
      },
    ),
    runs(60),
  );
});
