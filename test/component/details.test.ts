import { MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock, type HostCtx } from "../support/host.js";
import { bucket, startApp, window, type App } from "../support/startApp.js";
import { runs, seedRandom } from "../support/seed.js";

useStillClock();

const configs = [bucket(40), bucket(40, 4), window(40), window(40, 4)];

const name = "api";

type Look = (ctx: HostCtx, limiter: App["limiter"]) => Promise<object>;

const details = true;
const looks: Look[] = [
  (ctx, l) => l.check(ctx, name, { count: 0, details }),
  (ctx, l) => l.limit(ctx, name, { count: 0, details }),
  (ctx, l) => l.checkAll(ctx, [{ name, count: 0 }], { details }),
  (ctx, l) => l.limitAll(ctx, [{ name, count: 0 }], { details }),
];

type Verb = "limit" | "limitAll" | "reserve" | "charge" | "credit" | "reset";
type Step = { verb: Verb; count: number };

const steps = fc.array(
  fc.record<Step>({
    verb: fc.constantFrom(
      ...(["limit", "limitAll", "reserve", "charge", "credit"] as const),
      "reset",
    ),
    count: fc.integer({ min: 1, max: 25 }),
  }),
  { minLength: 1, maxLength: 4 },
);

test("a mutation returns the details that a query returns after it, whatever it did", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      steps,
      fc.constantFrom(...configs),
      fc.integer({ min: 0, max: MINUTE }),
      fc.constantFrom(...looks),
      fc.integer(),
      async (before, steps, config, pause, look, seed) => {
        seedRandom(seed);
        vi.setSystemTime(MIDNIGHT);
        const {
          mutate,
          limiter,
          details: query,
        } = startApp({ [name]: config });
        const play = async (ctx: HostCtx, { verb, count }: Step) => {
          if (verb === "charge") await limiter.charge(ctx, name, { count });
          else if (verb === "credit") {
            await limiter.credit(ctx, name, { count });
          } else if (verb === "reset") await limiter.reset(ctx, name);
          else if (verb === "limitAll") {
            await limiter.limitAll(ctx, [{ name, count }, { name }]);
          } else {
            const reserve = verb === "reserve";
            await limiter.limit(ctx, name, { count, reserve });
          }
        };
        for (const step of before) await mutate((ctx) => play(ctx, step));
        vi.setSystemTime(MIDNIGHT + pause);
        const inside = await mutate(async (ctx) => {
          for (const step of steps) await play(ctx, step);
          return look(ctx, limiter);
        });
        const told = await query(name);
        // Both request 0 tokens.
        expect(inside).toMatchObject(told);
      },
    ),
    runs(15),
  );
});
