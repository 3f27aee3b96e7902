import {
  HOUR,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { afterEach, describe, expect, test, vi } from "vitest";
import { draws } from "../support/draws.js";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../support/host.js";

useStillClock();
afterEach(() => void vi.restoreAllMocks());

const { lib, verbs } = components.rateLimiter;

const plain = { kind: "token bucket", rate: 10, period: HOUR } as const;
const counted = { ...plain, stats: true } as const;

const limit =
  (config: RateLimitConfig, more: { count?: number; throws?: boolean } = {}) =>
  (ctx: HostCtx) =>
    ctx.runMutation(lib.rateLimit, { name: "api", config, ...more });

/** Requests of one limit each. */
const limitAll =
  (...configs: RateLimitConfig[]) =>
  (ctx: HostCtx) =>
    ctx.runMutation(verbs.limitAll, {
      limits: configs.map((config, i) => ({ name: `api ${i}`, config })),
    });

const charge = (config: RateLimitConfig) => (ctx: HostCtx) =>
  ctx.runMutation(verbs.charge, { name: "other", config, count: 1 });

type Call = (ctx: HostCtx) => Promise<unknown>;

/** How many queries the last of these calls takes, all in one mutation. */
function queries(...calls: Call[]): Promise<number> {
  return startHost().mutation(async (ctx) => {
    const used = async () =>
      (await ctx.meta.getTransactionMetrics()).databaseQueries.used;
    let before = 0;
    for (const call of calls) {
      before = await used();
      await call(ctx);
    }
    return (await used()) - before;
  });
}

describe("a counted request is looked at first, and read when it will be granted,", () => {
  const drawn = { ...plain, stats: 0.5 };
  test.each<[string, Call[], Call[]]>([
    ["if every call is counted", [limit(counted)], [limit(plain)]],
    ["if it is sampled", [limit(drawn)], [limit(plain)]],
    [
      "if one of a list is counted",
      [limitAll(plain, counted)],
      [limitAll(plain, plain)],
    ],
  ])("%s", async (_claim, looking, same) => {
    vi.spyOn(Math, "random").mockReturnValue(0.49);
    expect(await queries(...looking)).toBe(2 * (await queries(...same)));
  });
});

describe("a request is read once, without a look,", () => {
  test.each<[string, Call[], Call[]]>([
    [
      "if it is not sampled",
      [limit({ ...plain, stats: 0.48 })],
      [limit(plain)],
    ],
    ["if it throws", [limit(counted, { throws: true })], [limit(plain)]],
  ])("%s", async (_claim, once, same) => {
    vi.spyOn(Math, "random").mockReturnValue(0.49);
    expect(await queries(...once)).toBe(await queries(...same));
  });

  test("if its mutation has written before, since a look lacks that", async () => {
    const own = await queries(charge(plain), limit(counted));
    // One more query finds that not only events were written.
    expect(own).toBe((await queries(charge(plain), limit(plain))) + 1);
  });
});

test("a denied request is read by the look only", async () => {
  const deny = (config: LimitConfig) =>
    limit(config as RateLimitConfig, { count: 10 });
  const t = startHost();
  await t.mutation(limit(plain));
  const used = (config: LimitConfig) =>
    t.mutation(async (ctx) => {
      await deny(config)(ctx);
      return (await ctx.meta.getTransactionMetrics()).databaseQueries.used;
    });
  expect(await used(counted)).toBe(await used(plain));
});

test("a counted request is looked at first even after a counted denial in its mutation", async () => {
  const t = startHost();
  await t.mutation(limit(plain));
  const used = await t.mutation(async (ctx) => {
    const { meta } = ctx;
    const read = async () =>
      (await meta.getTransactionMetrics()).databaseQueries.used;
    await limit(counted, { count: 10 })(ctx);
    const before = await read();
    await limit(counted)(ctx);
    return (await read()) - before;
  });
  // For the mutation's own events, for the look, and to take.
  expect(used).toBe(3);
});

test("a counted request takes from the row that its look chose", async () => {
  const split = { ...counted, rate: 100, shards: 10 };
  const t = startHost();
  await t.mutation(limit(split));
  vi.spyOn(Math, "random").mockImplementation(draws(0.45, 0.45, 0.05));
  await t.mutation(limit(split));
  const rows = await storedRows(t);
  expect(rows.map(({ shard }) => shard)).toEqual([0, 10, 5]);
});
