import {
  HOUR,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { note, noteModules } from "../notes.js";
import { components, MIDNIGHT, storedRows, useStillTimers } from "../host.js";
import { balanceOf, startApp, window, type App } from "./app.js";

useStillTimers();

const ten: RateLimitConfig = { ...window(10), period: HOUR, overrides: true };

const limits = {
  row: ten,
  split: { ...ten, shards: 5 },
  asynchronous: { ...ten, applyUpdates: "asynchronously" },
} satisfies Record<string, RateLimitConfig>;
type Name = keyof typeof limits;

const limiter = new RateLimiter(components.rateLimiter, limits);
const key = "k";
const until = MIDNIGHT + MINUTE;

const start = () => startApp(limits, { modules: noteModules });

const hold = ({ mutate }: App, name: Name, count: number) =>
  mutate(async (ctx) => {
    const { id } = await limiter.hold(ctx, name, { key, count });
    return id!;
  });

/** Lifts the limit for a minute. */
const lift = ({ setOverride }: App, name: Name) =>
  setOverride(name, { key, unlimited: true, expiresAt: until });

/** What the limit holds when the lift ends. */
async function afterwards(app: App, name: Name): Promise<number> {
  vi.setSystemTime(until);
  return balanceOf(app, name, { key });
}

describe.each(["row", "split", "asynchronous"] as const)(
  "what is given back to a limit that is lifted, or banned, for a minute (%s)",
  (name) => {
    test("by settle is there when the lift ends", async () => {
      const app = start();
      const id = await hold(app, name, 8);
      await lift(app, name);
      await app.mutate((ctx) => limiter.settle(ctx, id, { count: 3 }));
      expect(await afterwards(app, name)).toBeCloseTo(7, 9);
    });

    test("by cancelScheduled pays the debt that is there when the lift ends", async () => {
      const app = start();
      await app.limit(name, { key, count: 10 });
      const job = { key, count: 4, fn: note, args: { text: "a" } };
      const { scheduledId } = await app.mutate((ctx) =>
        limiter.schedule(ctx, name, job),
      );
      await lift(app, name);
      await app.mutate((ctx) => limiter.cancelScheduled(ctx, scheduledId!));
      expect(await afterwards(app, name)).toBeCloseTo(0, 9);
    });

    test("by credit is there when the lift ends, as far as it found room", async () => {
      const app = start();
      await app.limit(name, { key, count: 8 });
      await lift(app, name);
      const credit = (count: number) => app.credit(name, { key, count });
      expect(await credit(3)).toEqual({ credited: 3 });
      expect(await credit(7)).toEqual({ credited: 5 });
      expect(await credit(1)).toEqual({ credited: 0 });
      expect(await afterwards(app, name)).toBeCloseTo(10, 9);
    });

    test.each([
      ["lifted", { unlimited: true }, 35],
      ["banned", { deny: true }, 30],
    ] as const)(
      "finds the room that the override below it has: %s",
      async (_, effect, left) => {
        const app = start();
        const config = { rate: 40, capacity: 40 };
        await app.setOverride(name, { config });
        await app.limit(name, { key, count: 30 });
        await app.setOverride(name, { key, ...effect, expiresAt: until });
        const credit = { key, count: 25 };
        expect(await app.credit(name, credit)).toEqual({ credited: 25 });
        // Of a key that is unlimited nothing is taken.
        await app.charge(name, { key, count: 5 });
        expect(await afterwards(app, name)).toBeCloseTo(left, 9);
      },
    );

    test("finds no room if it was not taken", async () => {
      const app = start();
      await lift(app, name);
      const id = await hold(app, name, 8);
      await app.mutate((ctx) => limiter.release(ctx, id));
      expect(await app.credit(name, { key })).toEqual({ credited: 0 });
      await app.charge(name, { key, count: 4 });
      expect(await storedRows(app.t)).toEqual([]);
      expect(await afterwards(app, name)).toBeCloseTo(10, 9);
    });
  },
);
