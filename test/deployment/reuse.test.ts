import { describe, expect, inject, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
import {
  expectDeniedUntil,
  newLimit,
  newVisitor,
  saying,
  serverNow,
} from "./visitor.js";

/*
 * Convex may keep `component/lib.ts`, with all that it has evaluated, from one call to the next
 * (`experimental_reuseContext`). No call sees another one by that.
 */

const DAY = 86_400_000;
const BUCKET = { kind: "token bucket", rate: 10, period: 365 * DAY } as const;

test("each of successive calls sees the server's clock as it is then", async () => {
  const start = await serverNow(newVisitor().http);
  const { http, take } = newLimit({
    kind: "fixed window",
    rate: 1,
    period: DAY,
    start,
  });
  await take();
  const waits: number[] = [];
  for (let i = 0; i < 20; i++) {
    const denied = await expectDeniedUntil(http, start + DAY, take);
    waits.push(denied.retryAfter!);
  }
  expect(waits.at(-1)).toBeLessThan(waits[0]!);
});

test("each of successive calls draws its rows anew", async () => {
  const { take, balances } = newLimit({
    ...BUCKET,
    rate: 160,
    shards: 16,
  });
  for (let i = 0; i < 40; i++) await take();
  const untouched = (await balances()).filter((balance) => balance === 10);
  // If all drew the same, they would empty one row after the other, and leave most as they are.
  expect(untouched.length).toBeLessThan(8);
});

test("a call decides by its own config and shards, whatever the calls before it had", async () => {
  const { http, target, take } = newLimit(BUCKET);
  await take({ count: 6 });
  const other = { ...target, config: { ...BUCKET, rate: 2 } };
  for (let i = 0; i < 3; i++) {
    const asked = { ...target, count: 4 };
    expect(await http.mutation(api.verbs.check, asked)).toEqual({ ok: true });
    const above = http.mutation(api.verbs.check, { ...other, count: 4 });
    await expect(above).rejects.toThrow();
  }
  // More shards and a higher rate add no tokens to the four that are left.
  const spread = { ...target, config: { ...BUCKET, rate: 400, shards: 4 } };
  for (const granted of [true, true, true, true, false]) {
    const { ok } = await http.mutation(api.verbs.limit, spread);
    expect(ok).toBe(granted);
  }
});

test("the same limit in another mount of the component is another limit", async () => {
  const { http, target, take } = newLimit(BUCKET);
  const takeSecond = () =>
    http.mutation(api.verbs.limitSecond, { ...target, count: 10 });
  for (const ok of [true, false]) {
    expect((await take({ count: 10 })).ok).toBe(ok);
    expect((await takeSecond()).ok).toBe(ok);
  }
});

describe("nothing is left by a call", () => {
  test("that throws after it has decided on a limit", async () => {
    const { http, target, take } = newLimit(BUCKET);
    for (let i = 0; i < 3; i++) {
      await take();
      const last = { ...BUCKET, rate: -1 };
      const many = http.mutation(api.verbs.limitMany, {
        ...target,
        others: 2,
        last,
      });
      await expect(many).rejects.toThrow(saying("rate"));
    }
    expect((await take({ count: 7 })).ok).toBe(true);
    expect((await take()).ok).toBe(false);
  });

  test("whose caller throws", async () => {
    const { take, takeAndThrow } = newLimit(BUCKET);
    for (let i = 0; i < 3; i++) {
      await expect(takeAndThrow()).rejects.toThrow();
    }
    expect((await take({ count: 10 })).ok).toBe(true);
  });

  // It reads more ranges than a transaction may. The embedded server has no such limit.
  test.skipIf(inject("isEmbedded"))("that is cut off", async () => {
    const { http, target, take } = newLimit(BUCKET);
    const many = http.mutation(api.verbs.limitMany, {
      ...target,
      others: 5000,
      last: BUCKET,
    });
    await expect(many).rejects.toThrow();
    expect((await take({ count: 10 })).ok).toBe(true);
    expect((await take()).ok).toBe(false);
  });
});

test("names, keys and fields that are called `__proto__` change nothing for other calls", async () => {
  const { http, target, take } = newLimit(BUCKET);
  const config = JSON.parse(
    `{ "__proto__": { "rate": 1000, "shards": 4 }, "constructor": 1 }`,
  ) as object;
  const odd = { ...target, config: { ...BUCKET, ...config } as never };
  await http.mutation(api.verbs.limit, odd).catch(() => undefined);
  for (const name of ["__proto__", "constructor", "toString"]) {
    const asked = { ...target, name: target.name + name, key: name };
    expect(await http.mutation(api.verbs.limit, asked)).toEqual({ ok: true });
    await http.mutation(api.verbs.reset, asked);
  }
  expect((await take({ count: 11 }).catch(() => ({ ok: false }))).ok).toBe(
    false,
  );
  expect((await take({ count: 10 })).ok).toBe(true);
  expect((await take()).ok).toBe(false);
});
