import {
  HOUR,
  MINUTE,
  RateLimiter,
  SECOND,
  type LimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { balanceAt } from "../../dashboard/page/balance.js";
import {
  balancesAround,
  rowsOf,
  ruleAt,
  type Change,
} from "../../dashboard/page/rule.js";
import { describeRule } from "../../dashboard/page/words.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import { listedOverrides } from "../support/startApp.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  useStillClock,
  type HostCtx,
} from "../support/host.js";

useStillClock();

const key = "ada";
const bucket = {
  kind: "token bucket",
  rate: 10,
  period: MINUTE,
  overrides: true,
} as const satisfies LimitConfig;
const daily = {
  kind: "fixed window",
  rate: 10,
  period: "day",
  timeZone: "Europe/Berlin",
  overrides: true,
} as const satisfies LimitConfig;
const place = {
  kind: "concurrency",
  capacity: 3,
  lease: HOUR,
  overrides: true,
} as const satisfies LimitConfig;

type Limiter = RateLimiter<{ limit: LimitConfig }>;
type Use = (ctx: HostCtx, limiter: Limiter) => Promise<unknown>;

const take =
  (count: number): Use =>
  (ctx, limiter) =>
    limiter.charge(ctx, "limit", { key, count });
const hold: Use = (ctx, limiter) => limiter.hold(ctx, "limit", { key });
const both =
  (...uses: Use[]): Use =>
  async (ctx, limiter) => {
    for (const use of uses) await use(ctx, limiter);
  };
const override =
  (set: Parameters<Limiter["setOverride"]>[2]): Use =>
  (ctx, limiter) =>
    limiter.setOverride(ctx, "limit", set);

async function startWith(config: LimitConfig, use: Use) {
  const limiter = new RateLimiter(components.rateLimiter, { limit: config });
  const t = startHost();
  const run = <T>(use: (ctx: HostCtx, limiter: Limiter) => Promise<T>) =>
    t.run((ctx) => use(ctx, limiter));
  await run(use);
  const overrides = (key: string | null) =>
    listedOverrides({ t, limiter }, { name: "limit", key });
  const told = async () => ({
    config,
    value: await run((ctx, limiter) => limiter.getValue(ctx, "limit", { key })),
    overrides: await overrides(key),
    ofLimit: await overrides(null),
  });
  return { t, run, told };
}

const nothing: Use = async () => {};
const more: Change = { rate: 60 };
const hourly = { ...bucket, kind: "fixed window", period: HOUR } as const;
const fromFirstUse = { ...hourly, start: "first use", shards: 2 } as const;
const splitting = { ...bucket, shards: "auto" } as const;
const soon = MIDNIGHT + MINUTE;
const raised = override({ key, config: { capacity: 30 } });
const banned = override({ key, deny: true, expiresAt: soon });
const lifted = override({ key, unlimited: true, expiresAt: soon });

describe("the preview of a change is the balance after it:", () => {
  test.for<[string, LimitConfig, Use, Change]>([
    ["a key not in use", bucket, nothing, more],
    ["a key that is used up", bucket, take(10), more],
    ["a key in use", bucket, take(4), more],
    ["a key in debt", bucket, take(25), more],
    ["a lower rate", bucket, take(4), { rate: 3 }],
    ["a capacity alone", bucket, take(10), { capacity: 100 }],
    ["a lower capacity", bucket, take(1), { capacity: 2 }],
    ["a capacity in the code", { ...bucket, capacity: 5 }, take(5), more],
    ["rate and capacity", bucket, take(9), { rate: 60, capacity: 7 }],
    ["a fixed window", hourly, take(10), more],
    ["a window from the first use, in two rows", fromFirstUse, take(9), more],
    ["a day of the calendar", daily, take(10), more],
    ["a dry run", { ...bucket, enforce: false }, take(9), more],
    ["a larger concurrency limit", place, both(hold, hold), { capacity: 5 }],
    ["fewer places than leases", place, both(hold, hold), { capacity: 1 }],
    ["a change in place of another", bucket, both(raised, take(25)), more],
    ["a change over a ban", bucket, both(take(10), banned), more],
    ["a change over unlimited: true", bucket, both(take(10), lifted), more],
    ["a split key not in use", { ...bucket, shards: 2 }, nothing, more],
    ["a split key that is used up", { ...bucket, shards: 2 }, take(10), more],
    ["a key that can split itself", { ...bucket, rate: 40 }, take(39), more],
    [
      "a key that can split further",
      { ...splitting, rate: 40 },
      take(39),
      more,
    ],
  ])("%s", async ([, config, use, change]) => {
    const { run, told } = await startWith(config, use);
    vi.setSystemTime(MIDNIGHT + 7 * SECOND);
    const { value } = await told();
    const now = Date.now();
    const shown = balancesAround(config, value, change, now);
    const expiresAt = MIDNIGHT + 2 * HOUR;
    await run(override({ key, config: change, expiresAt }));
    const balance = balanceAt((await told()).value, now);
    expect(shown.after).toBeCloseTo(balance.value, 9);
    expect(shown.capacity).toBe(balance.capacity);
  });

  test("a key that has split itself", async () => {
    const config = { ...bucket, rate: 40 };
    const { t, run, told } = await startWith(config, nothing);
    const stored = { name: "limit", key, ts: MIDNIGHT, fullAt: MIDNIGHT };
    const rule = ruleOf(toLimit("limit", config));
    await inComponent(t, async ({ db }) => {
      const root = { ...stored, shard: 0, value: 20, into: 4, rule };
      await db.insert("rateLimits", root);
      await db.insert("rateLimits", { ...stored, shard: 1, value: 2 });
    });
    const { value } = await told();
    expect(rowsOf(value)).toBe(4);
    const now = MIDNIGHT + 3 * SECOND;
    const shown = balancesAround(config, value, more, now);
    expect(shown).toMatchObject({ before: 19, after: 20 });
    vi.setSystemTime(now);
    await run(override({ key, config: more }));
    expect(balanceAt((await told()).value, now).value).toBe(20);
  });
});

describe("the rule in force for a key is shown", () => {
  const [expiresAt, by] = [soon, "key"];
  const inForce = { effect: "limited", until: undefined, by: undefined };
  const toCome = override({ key, deny: true, startsAt: soon });
  const faster = override({ key, config: { rate: 60 }, expiresAt });
  const smaller = override({ key, config: { capacity: 3 }, expiresAt });
  const allSmaller = override({ config: { capacity: 3 } });
  const own = both(override({ deny: true }), smaller);
  const over = both(override({ key, config: { rate: 60 } }), banned);
  const doubled = override({ key, config: { rate: 20 } });
  const plain = override({ key, config: { period: HOUR } });
  const larger = override({ key, config: { capacity: 5 } });
  const until = { until: soon };
  test.for<[words: string, LimitConfig, Use, shown: object]>([
    // The code's, without overrides, and before one begins.
    ["10 a minute", bucket, nothing, {}],
    ["10 a minute", bucket, toCome, until],
    // Another rate is also the capacity.
    ["60 a minute", bucket, faster, { ...until, by }],
    ["10 a minute, at most 3 at once", bucket, allSmaller, { by: "limit" }],
    // The key's own comes before the whole limit's, and a ban before another rate.
    ["10 a minute, at most 3 at once", bucket, own, { ...until, by }],
    ["60 a minute", bucket, over, { effect: "banned", ...until, by }],
    ["10 a minute", bucket, lifted, { effect: "unlimited", ...until, by }],
    ["20 a day of Europe/Berlin, refilled all at once", daily, doubled, { by }],
    // A period replaces the calendar.
    ["10 an hour, refilled all at once", daily, plain, { by }],
    [
      "5 running at once, each for an hour unless renewed",
      place,
      larger,
      { by },
    ],
  ])("%s: %#", async ([words, config, use, expected]) => {
    const { told } = await startWith(config, use);
    const found = ruleAt(await told(), MIDNIGHT);
    expect(found).toMatchObject({ ...inForce, ...expected });
    expect(describeRule(found.config)).toBe(words);
  });

  test("as time passes after one reading", async () => {
    const { told } = await startWith(
      bucket,
      override({ key, deny: true, startsAt: soon, expiresAt: soon + SECOND }),
    );
    const answer = await told();
    const at = (now: number) => {
      const { effect, by } = ruleAt(answer, now);
      return [effect, by];
    };
    expect(at(soon - 1)).toEqual(["limited", undefined]);
    expect(at(soon)).toEqual(["banned", "key"]);
    expect(at(soon + SECOND)).toEqual(["limited", undefined]);
  });
});
