import { expect, test } from "vitest";
import {
  expectDeniedUntil,
  newLimit,
  newVisitor,
  serverNow,
} from "./visitor.js";

/*
 * Convex may keep `component/lib.ts`, with all that it has evaluated, from one call to the next
 * (`experimental_reuseContext`).
 */

const DAY = 86_400_000;

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
    kind: "token bucket",
    rate: 160,
    period: DAY,
    shards: 16,
  });
  for (let i = 0; i < 40; i++) await take();
  const untouched = (await balances()).filter((balance) => balance === 10);
  // If all drew the same, they would empty one row after the other, and leave most as they are.
  expect(untouched.length).toBeLessThan(8);
});
