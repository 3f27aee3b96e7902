import { MINUTE, SECOND } from "convex-rate-limiter";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Page, repeat } from "./page.js";

const MIDNIGHT = Date.UTC(2026, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: MIDNIGHT });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Takes from a limit of the page whenever it can, once every `step` ms. Returns when it could. */
async function takeAll(name: "fixed" | "sliding" | "bucket", step: number) {
  const page = new Page("docs/migrating-others.md");
  const t = page.start();
  const limits = page.limits<typeof name>();
  const granted: number[] = [];
  for (let time = 0; time < 3 * MINUTE; time += step) {
    vi.setSystemTime(MIDNIGHT + time);
    const { ok } = await t.mutation((ctx) => limits.limit(ctx, name));
    if (ok) granted.push(time);
  }
  return granted;
}

/** The most of these times that lie within a stretch of a minute. */
const mostInAMinute = (times: readonly number[]) =>
  Math.max(
    ...times.map(
      (from) =>
        times.filter((time) => time >= from && time <= from + MINUTE).length,
    ),
  );

test("what replaces slidingWindow(10, '1 m') grants ten in some minute, and in none more", async () => {
  expect(mostInAMinute(await takeAll("sliding", SECOND / 4))).toBe(10);
});

test("what replaces fixedWindow(10, '1 m') grants ten in each minute of the clock", async () => {
  const granted = await takeAll("fixed", SECOND);
  const minutes = granted.map((time) => Math.floor(time / MINUTE));
  expect(minutes).toEqual([0, 1, 2].flatMap((n) => Array<number>(10).fill(n)));
});

test("what replaces tokenBucket(5, '10 s', 20) holds 20, and five more after ten seconds", async () => {
  const page = new Page("docs/migrating-others.md");
  const t = page.start();
  const limits = page.limits<"bucket">();
  const take = () => t.mutation((ctx) => limits.limit(ctx, "bucket"));
  const grants = async () =>
    (await repeat(21, take)).filter(({ ok }) => ok).length;
  expect(await grants()).toBe(20);
  vi.setSystemTime(MIDNIGHT + 10 * SECOND);
  expect(await grants()).toBe(5);
});
