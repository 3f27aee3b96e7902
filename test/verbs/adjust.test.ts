import {
  HOUR,
  MINUTE,
  type RateLimitConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { afterEach, expect, test, vi } from "vitest";
import { bucket, startApp } from "../support/startApp.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";

import { draws } from "../support/draws.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import { partShard } from "../../src/state/spread/tree.js";

useStillClock();
afterEach(() => void vi.restoreAllMocks());

const name = "api";

test("a charge may exceed maxReserved, a reservation may not", async () => {
  const { charge, limit } = startApp({
    api: { ...bucket(60), maxReserved: 5 },
  });
  await charge(name, { count: 80 });
  const denied = { ok: false, retryAfter: 16_000 };
  expect(await limit(name, { reserve: true })).toEqual(denied);
});

/** A token a second, and rows that hold up to 10 each. */
const tens = (shards: number, more: object = {}): RateLimitConfig => ({
  ...{ kind: "token bucket", rate: 60, period: MINUTE },
  ...{ capacity: 10 * shards, shards, overrides: true, ...more },
});

/** An app with these rows below row 0. All draws of random numbers are `draw`, then 0. */
async function startWith(
  values: number[],
  { draw = 0, config = tens(values.length), row = {}, root = {} } = {},
) {
  const app = startApp({ api: config });
  const full = { name, ts: MIDNIGHT, fullAt: MIDNIGHT + HOUR, ...row };
  const into = values.length;
  const rule = ruleOf(toLimit(name, config));
  const split = { into, rule, usedAt: 0, value: 10 * into };
  await inComponent(app.t, async ({ db }) => {
    await db.insert("rateLimits", { ...full, shard: 0, ...split, ...root });
    for (const [nth, value] of values.entries()) {
      await db.insert("rateLimits", { ...full, shard: 1 + nth, value });
    }
  });
  vi.spyOn(Math, "random").mockImplementation(draws(draw));
  const stored = async () =>
    (await storedRows(app.t)).map(({ value }) => value).slice(-into);
  return { ...app, stored };
}

test("what a hold took comes back to its row, or to one of the parts that this was split into", async () => {
  const { t, held, release, stored } = await startWith([9, 9, 9], {
    draw: 0.9,
  });
  const [first, second] = [await held(name), await held(name)];
  expect(await stored()).toEqual([8, 9, 8]);
  await release(second);
  expect(await stored()).toEqual([9, 9, 8]);
  await inComponent(t, async ({ db }) => {
    const last = (await db.query("rateLimits").collect()).at(-1)!;
    await db.patch("rateLimits", last._id, { into: 2 });
  });
  await release(first);
  const part = (await storedRows(t)).at(-1);
  expect(part).toMatchObject({ shard: partShard(3, 0), value: 5 });
});

test.each([{ deny: true }, { unlimited: true }] as const)(
  "a credit goes to the rows under %o, too",
  async (override) => {
    const { setOverride, credit, stored } = await startWith([1, 1]);
    await setOverride(name, override);
    expect(await credit(name, { count: 4 })).toEqual({ credited: 4 });
    expect(await stored()).toEqual([5, 1]);
  },
);

test.each<
  [string, number[], SetOverrideOptions?, retryAfter?: number, left?: number[]]
>([
  ["by row 0 if it makes a debt", [1, 1], undefined, 2000, [-2]],
  ["by a row", [5, 1], undefined, undefined, [1, 1]],
  ["by a row even under a ban", [5, 1], { deny: true }, undefined, [1, 1]],
  ["by no row while unlimited", [5, 1], { unlimited: true }, undefined, [5, 1]],
])("a charge is paid %s", async (_, values, override, retryAfter, left) => {
  const { setOverride, charge, stored } = await startWith(values);
  if (override) await setOverride(name, override);
  expect((await charge(name, { count: 4 })).retryAfter).toBe(retryAfter);
  expect(await stored()).toEqual(left);
});

test("enqueueUpdates applies updates at once and in order", async () => {
  const t = startHost();
  const config = bucket(100);
  const { enqueueUpdates } = components.rateLimiter.lib;
  const consume = { kind: "consume" as const, config, ts: 0 };
  await t.mutation((ctx) =>
    ctx.runMutation(enqueueUpdates, {
      updates: [
        { ...consume, name: "kept", count: 130 },
        { ...consume, name: "reset", key: "k", count: 130 },
        { kind: "reset", name: "reset", key: "k" },
        { ...consume, name: "reset", key: "k", count: 10 },
        { ...consume, name: "unused", count: 0 },
      ],
    }),
  );
  const rows = await storedRows(t);
  expect(rows.map(({ name, value }) => [name, value])).toEqual([
    ["kept", -30],
    ["reset", 90],
  ]);
});
