import {
  type ActionCtx,
  HOUR,
  isRateLimitError,
  RateLimiter,
  SECOND,
} from "convex-rate-limiter";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  components,
  startHost,
  useStillTimers,
  type Host,
  stored,
} from "../support/host.js";

useStillTimers();
afterEach(() => void vi.restoreAllMocks());

const LEASE = 30 * SECOND;
const tenTokens = { kind: "token bucket", rate: 10, period: HOUR } as const;
const denials: unknown[] = [];
const limiter = new RateLimiter(
  components.rateLimiter,
  {
    render: { kind: "concurrency", capacity: 1, lease: LEASE },
    other: { kind: "concurrency", capacity: 1, lease: LEASE / 2 },
    long: { kind: "concurrency", capacity: 1, lease: 1e12 },
    tokens: tenTokens,
    dollars: tenTokens,
  },
  { onDenied: (_ctx, denial) => void denials.push(denial) },
);

const unnamed = new RateLimiter(components.rateLimiter);

/** Watches the mutations of an action, by their arguments. Those that `fails` picks fail. */
function watch(
  ctx: ActionCtx,
  fails: (args: object) => boolean = () => false,
): object[] {
  const run = ctx.runMutation.bind(ctx);
  const seen: object[] = [];
  vi.spyOn(ctx, "runMutation").mockImplementation(async (fn, asked = {}) => {
    seen.push(asked as object);
    if (fails(asked as object)) throw new Error("offline");
    return run(fn, asked as object) as Promise<unknown>;
  });
  return seen;
}

const isRenewal = (args: object): args is { id: string } =>
  Object.keys(args).join() === "id";

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

test("work that throws, at once or later, frees its lease and throws its error", async () => {
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

test("two renewals in a row may fail", async () => {
  const t = startHost();
  const first = startWork();
  let failures = 2;
  const running = t.action((ctx) => {
    watch(ctx, (args) => isRenewal(args) && failures-- > 0);
    return limiter.whileHolding(ctx, "render", { key: "k" }, first.work);
  });
  await pass(LEASE - 1);
  await pass(LEASE / 2);
  expect(await whileHolding(t, () => "second")).toMatchObject({ ok: false });
  first.resolve("done");
  expect(await running).toEqual({ ok: true, result: "done" });
});

test("work that has lost its lease neither takes it back nor frees another's", async () => {
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
  const { work, resolve } = startWork();
  let seen: object[] = [];
  const running = t.action((ctx) => {
    seen = watch(ctx);
    return limiter.whileHolding(ctx, "long", {}, work);
  });
  await pass(SECOND);
  expect(seen.filter(isRenewal)).toEqual([]);
  for (const times of [1, 2]) {
    await vi.advanceTimersByTimeAsync(HOUR - SECOND);
    await pass(SECOND);
    expect(seen.filter(isRenewal)).toHaveLength(times);
  }
  resolve("done");
  expect(await running).toEqual({ ok: true, result: "done" });
});

describe("a release that fails", () => {
  const isRelease = (args: object) => "holds" in args;
  const error = vi.fn<typeof console.error>();
  beforeEach(() => {
    error.mockClear();
    vi.spyOn(console, "error").mockImplementation(error);
  });

  test.each([
    ["returned", async () => "a page"],
    ["threw", async () => Promise.reject(new Error("no ink"))],
  ])("is tried again, whether the work %s", async (_, work) => {
    const t = startHost();
    let failures = 4;
    const running = t.action((ctx) => {
      watch(ctx, (args) => isRelease(args) && failures-- > 0);
      return limiter.whileHolding(ctx, "tokens", { count: 8 }, work);
    });
    const ended = running.catch(String);
    await pass(10 * SECOND);
    await ended;
    expect(await left(t)).toEqual([10, 10]);
    expect(await storedHolds(t)).toEqual([]);
    expect(error).not.toHaveBeenCalled();
  });

  test("for good is logged with the ids, and does not hide what the work returned", async () => {
    const t = startHost();
    let ids: string[] = [];
    const running = t.action((ctx) => {
      watch(ctx, isRelease);
      const items = [{ name: "render", key: "k" }, { name: "tokens" }] as const;
      return limiter.whileHoldingAll(ctx, items, (held) => {
        ids = [...held.ids];
        return "a page";
      });
    });
    await pass(10 * SECOND);
    expect(await running).toEqual({ ok: true, result: "a page" });
    expect(error.mock.calls).toEqual([
      [
        `RateLimiter: could not release ${ids.join(", ")}. The tokens stay taken, those of a lease until it ends. Error: offline`,
      ],
    ]);
    expect(await whileHolding(t, () => "next")).toMatchObject({ ok: false });
    await pass(LEASE);
    expect(await whileHolding(t, () => "next")).toMatchObject({ ok: true });
  });
});

type Work = (held: { id: string }) => Promise<string>;

/** What is left of the tokens, and of the dollars. */
const left = (t: Host) =>
  t.run(async (ctx) => {
    const { value: tokens } = await limiter.getValue(ctx, "tokens");
    const { value: dollars } = await limiter.getValue(ctx, "dollars");
    return [tokens, dollars];
  });

describe("a limit that refills", () => {
  const whileUsing = (t: Host, work: Work, config?: typeof tenTokens) =>
    t.action((ctx) =>
      config === undefined
        ? limiter.whileHolding(ctx, "tokens", { count: 8 }, work)
        : unnamed.whileHolding(ctx, "tokens", { count: 8, config }, work),
    );

  test.each([
    ["by its name", undefined],
    ["with a config", tenTokens],
  ])(
    "gets back what the work did not settle, whether that returns or throws: held %s",
    async (_how, config) => {
      const t = startHost();
      await whileUsing(t, async () => "forgotten", config);
      expect(await left(t)).toEqual([10, 10]);
      const failing = async () => Promise.reject(new Error("overloaded"));
      await expect(whileUsing(t, failing, config)).rejects.toThrow(
        "overloaded",
      );
      expect(await left(t)).toEqual([10, 10]);
      expect(await storedHolds(t)).toEqual([]);
    },
  );

  test("keeps what the work settled before it threw", async () => {
    const t = startHost();
    const stream = t.action((ctx) =>
      limiter.whileHolding(ctx, "tokens", { count: 8 }, async ({ id }) => {
        await limiter.settle(ctx, id, { count: 4 });
        throw new Error("hung up");
      }),
    );
    await expect(stream).rejects.toThrow("hung up");
    expect(await left(t)).toEqual([6, 10]);
  });
});

describe("a list", () => {
  const items = [
    { name: "tokens", count: 8 },
    { name: "render" },
    { name: "dollars", count: 2 },
    { name: "other" },
  ] as const;

  test("is held while the work runs, and then given back unless settled", async () => {
    const t = startHost();
    const status = await t.action((ctx) =>
      limiter.whileHoldingAll(ctx, items, async ({ ids: [tokens] }) => {
        expect(await left(t)).toEqual([2, 8]);
        expect(await storedHolds(t)).toHaveLength(4);
        await limiter.settleAll(ctx, [{ id: tokens, count: 3 }]);
        return "an answer";
      }),
    );
    expect(status).toEqual({ ok: true, result: "an answer" });
    expect(await left(t)).toEqual([7, 10]);
    expect(await storedHolds(t)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("renews each of its leases in its own time", async () => {
    const t = startHost();
    const { work, resolve } = startWork();
    let seen: object[] = [];
    const running = t.action((ctx) => {
      seen = watch(ctx);
      return limiter.whileHoldingAll(ctx, items, work);
    });
    await pass(10 * LEASE);
    const renewed = seen.filter(isRenewal).map(({ id }) => id.split(":")[1]);
    const times = (name: string) =>
      renewed.filter((renewed) => renewed === name).length;
    expect([times("render"), times("other")]).toEqual([40, 80]);
    expect(renewed).toHaveLength(120);
    for (const name of ["render", "other"] as const) {
      const free = t.mutation((ctx) => limiter.hold(ctx, name));
      expect(await free).toMatchObject({ ok: false });
    }
    resolve("done");
    expect(await running).toEqual({ ok: true, result: "done" });
    expect(await storedHolds(t)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("that is denied holds nothing and runs no work, like a single limit", async () => {
    const t = startHost();
    const never = () => expect.fail("It ran.");
    await t.mutation((ctx) => limiter.hold(ctx, "render"));
    denials.length = 0;
    const denied = { ok: false, retryAfter: LEASE };
    await t.action(async (ctx) => {
      expect(await limiter.whileHolding(ctx, "render", {}, never)).toEqual(
        denied,
      );
      expect(await limiter.whileHoldingAll(ctx, items, never)).toEqual({
        ...denied,
        blockedBy: { index: 1, name: "render" },
      });
      const throws = { throws: true } as const;
      for (const throwing of [
        limiter.whileHolding(ctx, "render", throws, never),
        limiter.whileHoldingAll(ctx, items, never, throws),
      ]) {
        const error: unknown = await throwing.catch((e: unknown) => e);
        expect(isRateLimitError(error) && error.data.name).toBe("render");
      }
    });
    expect(denials).toMatchObject(Array(4).fill({ name: "render" }));
    expect(await left(t)).toEqual([10, 10]);
  });

  test("lasts as long as its options say", async () => {
    const t = startHost();
    const expiresAfter = SECOND;
    await t.action((ctx) =>
      limiter.whileHoldingAll(
        ctx,
        items,
        async () => {
          const holds = await storedHolds(t);
          const lasting = holds.map(
            ({ expiresAt, _creationTime }) => expiresAt - _creationTime,
          );
          const near = (ms: number): unknown => expect.closeTo(ms, 0);
          expect(lasting).toEqual([SECOND, LEASE, SECOND, LEASE / 2].map(near));
        },
        { expiresAfter },
      ),
    );
  });

  test("throws in a mutation, and if it is empty", async () => {
    const t = startHost();
    await t.mutation(async (ctx) => {
      const both = { ...ctx, runAction: ctx.runMutation };
      const inMutation = limiter.whileHoldingAll(ctx as never, items, () => 1);
      await expect(inMutation).rejects.toThrow(
        "Rate limit tokens: whileHoldingAll is for actions.",
      );
      const empty = limiter.whileHoldingAll(both as never, [], () => 1);
      await expect(empty).rejects.toThrow(
        "whileHoldingAll: the list is empty.",
      );
    });
    expect(await storedHolds(t)).toEqual([]);
  });
});
