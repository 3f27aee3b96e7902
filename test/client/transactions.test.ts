import { isRateLimitError, MINUTE } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { bucket, startApp } from "../corners/app.js";
import { storedRows, useStillClock } from "../host.js";

useStillClock();

const limits = { plenty: bucket(10), single: bucket(1) };

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );

test("a mutation of which the second limit throws has consumed nothing of the first", async () => {
  const { t, limiter, mutate, limit } = startApp(limits);
  await limit("single");
  const before = await storedRows(t);
  const error = await thrown(
    mutate(async (ctx) => {
      await limiter.limit(ctx, "plenty", { throws: true });
      await limiter.limit(ctx, "single", { throws: true });
    }),
  );
  expect(error).toMatchObject({
    data: { kind: "RateLimited", name: "single", retryAfter: MINUTE },
  });
  expect(await storedRows(t)).toEqual(before);
});

test.each(["limit", "check"] as const)(
  "%s does not throw a reservation that is granted",
  async (verb) => {
    const { limiter, mutate, limit } = startApp(limits);
    await limit("single");
    const options = { reserve: true, throws: true };
    const status = await mutate((ctx) => limiter[verb](ctx, "single", options));
    expect(status).toEqual({ ok: true, retryAfter: MINUTE });
  },
);

test("caught, the error undoes nothing else of the mutation", async () => {
  const { t, limiter, mutate } = startApp(limits);
  const caught = await mutate(async (ctx) => {
    await limiter.limit(ctx, "plenty", { count: 4 });
    await limiter.limit(ctx, "single");
    await ctx.db.insert("notes", { text: "kept" });
    const again = limiter.limit(ctx, "single", { throws: true });
    return isRateLimitError(await thrown(again));
  });
  expect(caught).toBe(true);
  expect(await storedRows(t)).toMatchObject([
    { name: "plenty", value: 6 },
    { name: "single", value: 0 },
  ]);
  const notes = await t.run((ctx) => ctx.db.query("notes").collect());
  expect(notes).toMatchObject([{ text: "kept" }]);
});

test("what can never be granted throws another error, which isRateLimitError does not know", async () => {
  const error = await thrown(startApp(limits).limit("plenty", { count: 11 }));
  expect(isRateLimitError(error)).toBe(false);
  expect(error).toMatchObject({
    data: { kind: "ExceedsCapacity", name: "plenty", count: 11, max: 10 },
  });
});
