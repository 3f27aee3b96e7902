import {
  MINUTE,
  RateLimiter,
  type ConcurrencyConfig,
  type MutationCtx,
  type RefillingConfig,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";

useStillClock();

const warn = vi.fn<(text: string) => void>();
beforeEach(() => {
  warn.mockClear();
  vi.spyOn(console, "warn").mockImplementation(warn);
  // Each call that can give advice does.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => void vi.restoreAllMocks());

type Limits = Record<"api" | "other", RefillingConfig> & {
  render: ConcurrencyConfig;
};

const limits: Limits = {
  api: { kind: "token bucket", rate: 10, period: MINUTE },
  other: { kind: "token bucket", rate: 10, period: MINUTE },
  render: { kind: "concurrency", capacity: 5, lease: MINUTE },
};
const kinds: Record<string, RefillingConfig> = {
  "token bucket": limits.api,
  "fixed window": { kind: "fixed window", rate: 10, period: MINUTE },
  "calendar window": { kind: "fixed window", rate: 10, period: "day" },
};
const key = "a secret";

/** Runs verbs of a limiter, each 20 ms after the one before. */
const life = (limiter: RateLimiter<Limits>) => {
  const verbs: Record<string, (ctx: MutationCtx) => Promise<unknown>> = {
    limit: (ctx) => limiter.limit(ctx, "api", { key }),
    limitAll: (ctx) =>
      limiter.limitAll(ctx, [{ name: "other" }, { name: "api", key }]),
    charge: (ctx) => limiter.charge(ctx, "api", { key }),
    credit: (ctx) => limiter.credit(ctx, "api", { key, count: 0.5 }),
    settle: async (ctx) => {
      const { id } = await limiter.hold(ctx, "api", { key, throws: true });
      return limiter.settle(ctx, id, { count: 2 });
    },
    check: (ctx) => limiter.check(ctx, "api", { key }),
    getValue: (ctx) => limiter.getValue(ctx, "api", { key }),
    "a denial": (ctx) => limiter.limit(ctx, "api", { key, count: 10 }),
    "a concurrency limit": (ctx) => limiter.hold(ctx, "render"),
    reset: (ctx) => limiter.reset(ctx, "api", { key }),
  };
  return async (names: string[]) => {
    const t = startHost();
    const answers: unknown[] = [];
    await t.mutation((ctx) => limiter.charge(ctx, "api", { key }));
    for (const name of names) {
      vi.setSystemTime(Date.now() + 20);
      answers.push(await t.mutation((ctx) => verbs[name]!(ctx)));
    }
    return { answers, rows: await storedRows(t) };
  };
};

const lifeOf = (api: RefillingConfig) =>
  life(new RateLimiter(components.rateLimiter, { ...limits, api }));
const usual = lifeOf(limits.api);
const writing = ["limit", "limitAll", "charge", "credit", "settle"];
const others = ["check", "getValue", "a denial", "reset"];

describe("a call on a row that another one wrote 20 ms ago", () => {
  const each = writing.flatMap((verb) =>
    Object.keys(kinds).map((kind) => [kind, verb] as const),
  );
  test.each(each)(
    "gives advice without the key: %s, %s",
    async (kind, verb) => {
      await lifeOf(kinds[kind]!)([verb]);
      expect(warn).toHaveBeenCalledOnce();
      const [[text]] = warn.mock.calls as [[string]];
      expect(text).toMatch(
        /^Rate limit api: calls came within 20 ms on one row/,
      );
      expect(text).not.toContain(key);
    },
  );

  test.each([...others, "a concurrency limit"])(
    "gives no advice: %s",
    async (name) => {
      await usual([name, name]);
      expect(warn).not.toHaveBeenCalled();
    },
  );
});

test("advice: false logs nothing and changes no answer and no row", async () => {
  const all = [...writing, ...others];
  const loud = await usual(all);
  expect(warn).toHaveBeenCalled();
  warn.mockClear();
  vi.setSystemTime(MIDNIGHT);
  const options = { advice: false };
  const silent = new RateLimiter(components.rateLimiter, limits, options);
  const timeless = ({ answers, rows }: typeof loud) => [
    answers,
    rows.map(({ _creationTime: _, _id: __, ...row }) => row),
  ];
  expect(timeless(await life(silent)(all))).toStrictEqual(timeless(loud));
  expect(warn).not.toHaveBeenCalled();
});

test("advice: false silences schedule and cancelScheduled", async () => {
  const t = startHost();
  const options = { advice: false };
  const silent = new RateLimiter(components.rateLimiter, limits, options);
  const fn = makeFunctionReference<"mutation">("nothing:nothing");
  const reserved = { fn, args: {}, key, count: 11 };
  const { scheduledId } = await t.mutation((ctx) =>
    silent.schedule(ctx, "api", { ...reserved, throws: true }),
  );
  vi.setSystemTime(Date.now() + 20);
  const cancelled = await t.mutation((ctx) =>
    silent.cancelScheduled(ctx, scheduledId),
  );
  expect(cancelled).toEqual({ cancelled: true });
  expect(warn).not.toHaveBeenCalled();
});
