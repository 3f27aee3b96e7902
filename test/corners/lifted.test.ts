import { HOUR, MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { note, noteModules } from "../notes.js";
import { MIDNIGHT, storedRows, useStillTimers } from "../host.js";
import { balanceOf, startApp, window, type App } from "./app.js";

useStillTimers();

const name = "api";
const key = "k";
const until = MIDNIGHT + MINUTE;

const ten: RateLimitConfig = { ...window(10), period: HOUR, overrides: true };

/** Makes the key unlimited for a minute. */
const lift = ({ setOverride }: App) =>
  setOverride(name, { key, unlimited: true, expiresAt: until });

const credit = (app: App, count: number) => app.credit(name, { key, count });

type Effect = { unlimited: true } | { deny: true };

/** Takes 30 of 40, and gives back 25 of them under an override of the key. */
async function creditUnder(app: App, effect: Effect) {
  await app.setOverride(name, { config: { rate: 40, capacity: 40 } });
  await app.limit(name, { key, count: 30 });
  await app.setOverride(name, { key, ...effect, expiresAt: until });
  expect(await credit(app, 25)).toEqual({ credited: 25 });
  await app.charge(name, { key, count: 5 });
}

describe.each<[string, RateLimitConfig]>([
  ["in a row", ten],
  ["over 5 rows", { ...ten, shards: 5 }],
  ["asynchronously", { ...ten, applyUpdates: "asynchronously" }],
])(
  "what is given back to a limit that is lifted for a minute, %s",
  (_, config) => {
    test.each<[string, (app: App) => Promise<unknown>, left: number]>([
      [
        "by settle, is there when the lift ends",
        async (app) => {
          const id = await app.hold(name, { key, count: 8 });
          await lift(app);
          await app.settle(id, 3);
        },
        7,
      ],
      [
        "by cancelScheduled, pays the debt that is there when the lift ends",
        async (app) => {
          const { limiter, mutate } = app;
          await app.limit(name, { key, count: 10 });
          const job = { key, count: 4, fn: note, args: { text: "a" } };
          const { scheduledId } = await mutate((ctx) =>
            limiter.schedule(ctx, name, job),
          );
          await lift(app);
          await mutate((ctx) => limiter.cancelScheduled(ctx, scheduledId!));
        },
        0,
      ],
      [
        "by credit, is there as far as it found room",
        async (app) => {
          await app.limit(name, { key, count: 8 });
          await lift(app);
          expect(await credit(app, 3)).toEqual({ credited: 3 });
          expect(await credit(app, 7)).toEqual({ credited: 5 });
          expect(await credit(app, 1)).toEqual({ credited: 0 });
        },
        10,
      ],
      [
        "by credit, finds the room that the override below it has, and nothing is taken",
        (app) => creditUnder(app, { unlimited: true }),
        35,
      ],
      [
        "by credit under a ban instead, finds that room too",
        (app) => creditUnder(app, { deny: true }),
        30,
      ],
      [
        "finds no room if it was not taken",
        async (app) => {
          await lift(app);
          await app.settle(await app.hold(name, { key, count: 8 }), 0);
          expect(await credit(app, 1)).toEqual({ credited: 0 });
          await app.charge(name, { key, count: 4 });
          expect(await storedRows(app.t)).toEqual([]);
        },
        10,
      ],
    ])("%s", async (_, giveBack, left) => {
      const app = startApp({ [name]: config }, { modules: noteModules });
      await giveBack(app);
      vi.setSystemTime(until);
      expect(await balanceOf(app, name, { key })).toBeCloseTo(left, 9);
    });
  },
);
