import { inspect } from "node:util";
import { isRateLimitError, MINUTE } from "convex-rate-limiter";
import { expect, onTestFinished, test } from "vitest";
import { bucket, startApp, type App } from "../support/startApp.js";
import { storedRows, useStillClock, type HostCtx } from "../support/host.js";

useStillClock();

const limits = { plenty: bucket(10), single: bucket(1) };

const throws = true;

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );

test("a mutation whose second limit throws takes nothing from the first", async () => {
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

test("a denial that a mutation catches undoes nothing else", async () => {
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

const two = [{ name: "plenty" }, { name: "single", key: "anna" }];

test.each<[string, (ctx: HostCtx, of: App["limiter"]) => Promise<unknown>]>([
  ["limit", (ctx, of) => of.limit(ctx, "single", { key: "anna", throws })],
  ["check", (ctx, of) => of.check(ctx, "single", { key: "anna", throws })],
  ["limitAll", (ctx, of) => of.limitAll(ctx, two, { throws })],
  ["checkAll", (ctx, of) => of.checkAll(ctx, two, { throws })],
  ["hold", (ctx, of) => of.hold(ctx, "single", { key: "anna", throws })],
  ["holdAll", (ctx, of) => of.holdAll(ctx, two, { throws })],
])(
  "a denial that %s throws names the limit and the wait, and nowhere the key",
  async (_, deny) => {
    const { limit, limiter, mutate } = startApp(limits);
    await limit("single", { key: "anna" });
    const error = await thrown(mutate((ctx) => deny(ctx, limiter)));
    const data = { kind: "RateLimited", name: "single", retryAfter: MINUTE };
    expect((error as { data: unknown }).data).toStrictEqual(data);
    expect((error as Error).message).toBe(JSON.stringify(data));
    expect(inspect(error, { showHidden: true })).not.toContain("anna");
  },
);

test("the error of a backend without stale looks names the least version", async () => {
  const app = startApp({ split: bucket(10, 5) });
  await app.limit("split");
  await app.limit("split", { count: 9 });
  type Syscall = (op: string, args: string) => Promise<string>;
  const { Convex } = globalThis as unknown as {
    Convex: { readonly asyncSyscall: Syscall };
  };
  const known = Object.getOwnPropertyDescriptor(Convex, "asyncSyscall")!;
  const knownSyscall = () =>
    (known.get?.call(Convex) ?? known.value) as Syscall;
  const asyncSyscall: Syscall = async (op, args) => {
    if (op === "1.0/runUdf" && args.includes('"udfType":"snapshotQuery"')) {
      throw new Error("Invalid udfType snapshotQuery");
    }
    return knownSyscall()(op, args);
  };
  Object.defineProperty(Convex, "asyncSyscall", {
    configurable: true,
    get: () => asyncSyscall,
  });
  onTestFinished(() => {
    Object.defineProperty(Convex, "asyncSyscall", known);
  });
  await expect(app.limit("split")).rejects.toThrow(/backend.*2026-07-24/s);
});

test.each<
  [string, string, (ctx: HostCtx, of: App["limiter"]) => Promise<unknown>]
>([
  ["limit", "none", (ctx, of) => of.limit(ctx, "plenty")],
  ["limitAll", "none", (ctx, of) => of.limitAll(ctx, two)],
  ["hold", "none", (ctx, of) => of.hold(ctx, "plenty")],
  ["checkAll", "its own", (ctx, of) => of.checkAll(ctx, two)],
])(
  "after a check, %s has the same seed; before it %s",
  async (_, before, call) => {
    const { limiter, mutate } = startApp(limits);
    const seeds = await mutate(async (ctx) => {
      const sent: unknown[] = [];
      const spy =
        <Args extends unknown[]>(run: (...args: Args) => unknown) =>
        (...args: Args) => {
          sent.push((args[1] as { seed?: number }).seed ?? null);
          return run(...args);
        };
      const { runQuery, runMutation } = ctx;
      const host = {
        ...ctx,
        runQuery: spy(runQuery),
        runMutation: spy(runMutation),
      } as HostCtx;
      await call(host, limiter);
      await limiter.check(host, "plenty");
      await call(host, limiter);
      return sent;
    });
    const seed = expect.any(Number) as unknown;
    expect(seeds).toEqual([before === "none" ? null : seed, seed, seeds[1]]);
  },
);

test("outside mutations a check has no seed, so that Convex can cache its answer", async () => {
  const { limiter, mutate } = startApp(limits);
  const args = await mutate(async ({ runQuery, runMutation }) => {
    const sent: object[] = [];
    const query: typeof runQuery = (reference, ...[args]) => {
      sent.push(args!);
      return runQuery(reference, args as never);
    };
    await limiter.check({ runQuery: query }, "plenty");
    // As in an action, whose every call is a transaction of its own.
    await limiter.check({ runQuery: query, runMutation }, "plenty");
    return sent;
  });
  expect(args).toHaveLength(2);
  for (const one of args) expect(one).not.toHaveProperty("seed");
});
