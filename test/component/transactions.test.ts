import { RateLimiter } from "convex-rate-limiter";
import { makeFunctionReference, mutationGeneric } from "convex/server";
import { describe, expect, test } from "vitest";
import {
  agreedBalance,
  bucket,
  deployed,
  startApp,
  window,
} from "../support/startApp.js";
import { components, startHost, useStillClock } from "../support/host.js";
import { MINUTE } from "../../src/core/periods.js";
import { modesOf } from "../support/modes.js";

useStillClock();

const reference = (name: string) =>
  makeFunctionReference<"mutation">(`functions:${name}`);

describe.each(modesOf(window(10)))(
  "what a mutation has taken, in %s,",
  (_mode, config) => {
    const limits = { api: config };
    const limiter = new RateLimiter(components.rateLimiter, limits);

    test("is seen by every verb and every limiter", async () => {
      const app = startApp(limits);
      await app.mutate(async (ctx) => {
        await app.limiter.limit(ctx, "api", { count: 3 });
        await limiter.limit(ctx, "api", { count: 4 });
        const denied = { ok: false, retryAfter: MINUTE };
        const four = app.limiter.check(ctx, "api", { count: 4 });
        expect(await four).toEqual(denied);
        const items = [{ name: "api", count: 3 }] as const;
        expect(await limiter.checkAll(ctx, items)).toEqual({ ok: true });
        const { value } = await limiter.getValue(ctx, "api");
        expect(value).toBeCloseTo(3, 9);
        await app.limiter.charge(ctx, "api", { count: 5 });
        expect(await limiter.credit(ctx, "api", { count: 1 })).toEqual({
          credited: 1,
        });
      });
      expect(await agreedBalance(app, "api")).toBeCloseTo(-1, 9);
    });

    test("is seen across nested mutations, but not what those that throw have taken", async () => {
      const functions = {
        take: mutationGeneric(async (ctx) => {
          await limiter.limit(ctx, "api", { count: 2 });
        }),
        takeAndThrow: mutationGeneric(async (ctx) => {
          await limiter.limit(ctx, "api", { count: 5 });
          await limiter.charge(ctx, "api", { count: 20 });
          throw new Error("no");
        }),
        outer: mutationGeneric(async (ctx) => {
          await limiter.limit(ctx, "api");
          await ctx.runMutation(reference("take"), {});
          await ctx.runMutation(reference("takeAndThrow"), {}).catch(() => {});
          return (await limiter.getValue(ctx, "api")).value;
        }),
      };
      const modules = { "./functions.ts": async () => functions };
      const t = startHost({ modules });
      const app = deployed(t, limits);
      await app.limit("api", { count: 4 });
      expect(await t.mutation(reference("outer"), {})).toBe(3);
      expect(await agreedBalance(app, "api")).toBe(3);
    });
  },
);

test("the component throws a denial only with throws: true", async () => {
  const { mutate } = startApp({});
  const { rateLimit } = components.rateLimiter.lib;
  const asked = { name: "a", key: "k", config: bucket(10), count: 10 };
  const ask = (throws: boolean) =>
    mutate((ctx) => ctx.runMutation(rateLimit, { ...asked, throws }));
  expect(await ask(true)).toEqual({ ok: true });
  expect(await ask(false)).toEqual({ ok: false, retryAfter: MINUTE });
  await expect(ask(true)).rejects.toMatchObject({
    data: { kind: "RateLimited", name: "a", retryAfter: MINUTE },
  });
});
