import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { RefillingConfig } from "convex-rate-limiter";
import { HOUR, MINUTE } from "../../src/core/periods.js";
import { balanceOf, startApp, type App } from "../support/startApp.js";
import { MIDNIGHT, runVacuum, useStillClock } from "../support/host.js";
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

describe("what a hold used beyond its count is charged", () => {
  const key = "k";
  const config = { kind: "token bucket", rate: 100, period: HOUR } as const;
  const charged = async (between: (app: App) => unknown, limits = {}) => {
    const app = startApp(limits);
    const own = name in limits ? {} : { config };
    const id = await app.held(name, { key, count: 10, ...own });
    await between(app);
    expect(await balanceOf(app, name, { key, ...own })).toBe(100);
    await app.settle(id, 30);
    expect(await balanceOf(app, name, { key, ...own })).toBe(80);
  };
  const idle = () => vi.setSystemTime(MIDNIGHT + 3 * HOUR);

  test.each<[string, (app: App) => unknown, object?]>([
    ["was reset", (app) => app.reset(name, { key, config })],
    ["was idle", idle],
    ["was idle, after the vacuum", (app) => (idle(), runVacuum(app.t))],
    [
      "was reset, of a named limit",
      (app) => app.reset(name, { key }),
      { [name]: config },
    ],
    ["was idle, of a named limit", idle, { [name]: config }],
  ])("if its key %s", async (_, between, limits) => charged(between, limits));
});
