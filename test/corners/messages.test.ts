import { RateLimiter } from "convex-rate-limiter";
import { expect, onTestFinished, test } from "vitest";
import { components, startHost, useStillClock, type HostCtx } from "../host.js";
import { bucket, startApp } from "./app.js";

useStillClock();

const api = bucket(10);

const limiter = new RateLimiter(components.rateLimiter, { api });
const key = "anna";
const throws = true;

test.each<[string, (ctx: HostCtx) => Promise<unknown>]>([
  ["limit", (ctx) => limiter.limit(ctx, "api", { key, throws })],
  ["check", (ctx) => limiter.check(ctx, "api", { key, throws })],
  ["limitAll", (c) => limiter.limitAll(c, [{ name: "api", key }], { throws })],
  ["checkAll", (c) => limiter.checkAll(c, [{ name: "api", key }], { throws })],
])(
  "a denial that %s throws says which limit, which key and how long",
  async (_, deny) => {
    await startHost().mutation(async (ctx) => {
      await limiter.limit(ctx, "api", { key, count: 10 });
      await expect(deny(ctx)).rejects.toMatchObject({
        message:
          "RateLimited: Rate limit api for anna is used up. Retry after 6000 ms.",
        data: { kind: "RateLimited", name: "api", key, retryAfter: 6000 },
      });
    });
  },
);

test("a ban and no limit in one override are refused", async () => {
  const app = startApp({ api: { ...api, overrides: true } });
  const both = { deny: true, unlimited: true } as const;
  // @ts-expect-error one or the other
  const set = app.setOverride("api", both);
  await expect(set).rejects.toThrow();
  expect(await app.limit("api")).toEqual({ ok: true });
});

test("a backend that knows no stale looks is named as the reason, with the least version", async () => {
  const app = startApp({ split: { ...api, shards: 5 } });
  await app.limit("split", { count: 10 });
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
