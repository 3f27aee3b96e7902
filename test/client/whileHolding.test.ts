import {
  HOUR,
  isRateLimitError,
  RateLimiter,
  SECOND,
} from "convex-rate-limiter";
import { afterEach, expect, test, vi } from "vitest";
import {
  components,
  startHost,
  useStillTimers,
  type Host,
  stored,
} from "../host.js";

useStillTimers();
afterEach(() => void vi.restoreAllMocks());

const LEASE = 30 * SECOND;
const denials: unknown[] = [];
const limiter = new RateLimiter(
  components.rateLimiter,
  {
    render: { kind: "concurrency", capacity: 1, lease: LEASE },
    long: { kind: "concurrency", capacity: 1, lease: 1e12 },
  },
  { onDenied: (_ctx, denial) => void denials.push(denial) },
);

const storedHolds = (t: Host) => stored(t, "holds");

const whileHolding = <Result>(
  t: Host,
  work: () => Result | Promise<Result>,
  throws?: boolean,
) =>
  t.action((ctx) =>
    limiter.whileHolding(ctx, "render", { key: "k", throws }, work),
  );

/** Work that goes on until it is ended. */
function startWork() {
  let resolve: (result: string) => void = () => undefined;
  const promise = new Promise<string>((done) => (resolve = done));
  return { work: () => promise, resolve };
}

/** Lets time pass, in steps so small that what a timer has started is done in between. */
async function pass(ms: number) {
  for (let left = ms; left > 0; left -= 250) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 250));
  }
}

test("granted: gives what the work returned, and the place is free again", async () => {
  const t = startHost();
  let heldMeanwhile = 0;
  const status = await whileHolding(t, async () => {
    heldMeanwhile = (await storedHolds(t)).length;
    return "a page";
  });
  expect(status).toEqual({ ok: true, result: "a page" });
  expect(heldMeanwhile).toBe(1);
  expect(await storedHolds(t)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("work that throws, at once or later, frees its place, and its error is thrown", async () => {
  const t = startHost();
  const atOnce = whileHolding(t, () => {
    throw new Error("no paper");
  });
  await expect(atOnce).rejects.toThrow("no paper");
  const later = whileHolding(t, async () => {
    throw new Error("no ink");
  });
  await expect(later).rejects.toThrow("no ink");
  expect(await storedHolds(t)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

test("denied: the work does not run, and onDenied is told", async () => {
  const t = startHost();
  const first = startWork();
  const running = whileHolding(t, first.work);
  await pass(SECOND);
  denials.length = 0;
  const work = vi.fn();
  expect(await whileHolding(t, work)).toEqual({
    ok: false,
    retryAfter: LEASE - SECOND,
  });
  const error: unknown = await whileHolding(t, work, true).catch(
    (e: unknown) => e,
  );
  expect(isRateLimitError(error)).toBe(true);
  expect(work).not.toHaveBeenCalled();
  expect(denials).toHaveLength(2);
  first.resolve("done");
  expect(await running).toEqual({ ok: true, result: "done" });
});

test("the lease is renewed while the work runs, however long", async () => {
  const t = startHost();
  const first = startWork();
  const running = whileHolding(t, first.work);
  for (let i = 0; i < 10; i++) {
    await pass(LEASE);
    expect(await whileHolding(t, () => "second")).toMatchObject({ ok: false });
  }
  first.resolve("done");
  expect(await running).toEqual({ ok: true, result: "done" });
  expect(await whileHolding(t, () => "second")).toMatchObject({ ok: true });
  expect(vi.getTimerCount()).toBe(0);
});

test("two renewals in a row may fail", async () => {
  const t = startHost();
  const first = startWork();
  const renew = vi.spyOn(limiter, "renew");
  renew.mockRejectedValueOnce(new Error("offline"));
  renew.mockRejectedValueOnce(new Error("offline"));
  const running = whileHolding(t, first.work);
  await pass(LEASE - 1);
  await pass(LEASE / 2);
  expect(await whileHolding(t, () => "second")).toMatchObject({ ok: false });
  first.resolve("done");
  expect(await running).toEqual({ ok: true, result: "done" });
});

test("whoever has lost the place does not take it back, nor free another's", async () => {
  const t = startHost();
  const [first, second] = [startWork(), startWork()];
  const running = whileHolding(t, first.work);
  await pass(SECOND);
  await t.mutation((ctx) => limiter.reset(ctx, "render", { key: "k" }));
  const other = whileHolding(t, second.work);
  await pass(2 * LEASE);
  expect(await storedHolds(t)).toHaveLength(1);
  first.resolve("late");
  expect(await running).toEqual({ ok: true, result: "late" });
  expect(await storedHolds(t)).toHaveLength(1);
  second.resolve("done");
  await other;
  expect(await storedHolds(t)).toEqual([]);
});

test("a lease longer than a timer can wait is renewed each hour", async () => {
  const t = startHost();
  const renew = vi.spyOn(limiter, "renew");
  const { work, resolve } = startWork();
  const running = t.action((ctx) =>
    limiter.whileHolding(ctx, "long", {}, work),
  );
  await pass(SECOND);
  expect(renew).not.toHaveBeenCalled();
  for (const times of [1, 2]) {
    await vi.advanceTimersByTimeAsync(HOUR - SECOND);
    await pass(SECOND);
    expect(renew).toHaveBeenCalledTimes(times);
  }
  resolve("done");
  expect(await running).toEqual({ ok: true, result: "done" });
});

test("a release that fails does not hide what the work came to", async () => {
  const t = startHost();
  const release = vi.spyOn(limiter, "release");
  release.mockRejectedValueOnce(new Error("offline"));
  expect(await whileHolding(t, () => "a page")).toEqual({
    ok: true,
    result: "a page",
  });
  await pass(LEASE);
  expect(await whileHolding(t, () => "next")).toMatchObject({ ok: true });
});

test("in a mutation it is an error", async () => {
  const t = startHost();
  const call = t.mutation((ctx) =>
    limiter.whileHolding(ctx as never, "render", {}, () => "a page"),
  );
  await expect(call).rejects.toThrow(
    "Rate limit render: whileHolding is for actions.",
  );
  expect(await storedHolds(t)).toEqual([]);
});
