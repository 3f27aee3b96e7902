import * as peer from "@convex-dev/rate-limiter";
import peerTest from "@convex-dev/rate-limiter/test";
import * as ours from "convex-rate-limiter";
import oursTest from "convex-rate-limiter/test";
import { expect, test, vi } from "vitest";
import { MIDNIGHT, useStillTimers } from "../support/host.js";
import {
  askedByBrowser,
  mountMixed,
  mountOurs,
  mountPeer,
  type Ctx,
  type Mounted,
  type PeerLimiter,
} from "./bothPackages.js";

const { MINUTE, HOUR, SECOND } = ours;

// The worker of the other package would go on for ever.
useStillTimers();

// The limits of the peer's README; `start` where it would else choose at random.
const readme: Record<string, peer.RateLimitConfig> = {
  freeTrialSignUp: { kind: "fixed window", rate: 100, period: HOUR, start: 0 },
  sendMessage: { kind: "token bucket", rate: 10, period: MINUTE, capacity: 3 },
  failedLogins: { kind: "token bucket", rate: 10, period: HOUR },
  llmTokens: { kind: "token bucket", rate: 40000, period: MINUTE, shards: 10 },
  llmRequests: {
    kind: "fixed window",
    rate: 1000,
    period: MINUTE,
    shards: 10,
    start: 0,
  },
};

type Run = (
  limiter: PeerLimiter,
  ctx: Ctx,
  mounted: Mounted,
) => Promise<unknown>;

const limit =
  (...of: [name: string, options?: { key?: string; count?: number }]): Run =>
  (limiter, ctx) =>
    limiter.limit(ctx, ...of);

const inline: Run = (_, ctx, { inline }) =>
  inline.limit(ctx, "oneOffName", {
    config: { kind: "fixed window", rate: 1, period: SECOND, start: 0 },
  });

/** The calls of the peer's README in its order, each `after` ms after the one before. */
const calls: [call: string, after: number, run: Run][] = [
  ["a simple global limit", 0, limit("freeTrialSignUp")],
  [
    "more than a fixed window holds",
    10 * MINUTE,
    limit("freeTrialSignUp", { count: 100 }),
  ],
  ...[0, 0, 0, 0, 3000, 3000].map((after): (typeof calls)[number] => [
    "a per-user limit",
    after,
    limit("sendMessage", { key: "user" }),
  ]),
  [
    "a per-user limit, for another user",
    0,
    limit("sendMessage", { key: "other" }),
  ],
  ["a custom count of a split limit", 0, limit("llmTokens", { count: 2500 })],
  [
    "check, which consumes nothing",
    0,
    (limiter, ctx) =>
      limiter.check(ctx, "failedLogins", { key: "user", count: 10 }),
  ],
  [
    "throws, while there are tokens",
    0,
    (limiter, ctx) =>
      limiter.limit(ctx, "failedLogins", { key: "user", throws: true }),
  ],
  [
    "throws, when there are none",
    0,
    async (limiter, ctx, { isRateLimitError }) => {
      await limiter.limit(ctx, "failedLogins", { count: 10 });
      return limiter
        .limit(ctx, "failedLogins", { throws: true })
        .catch((error: unknown) => [
          isRateLimitError(error),
          isRateLimitError(error) && error.data,
        ]);
    },
  ],
  [
    "reset, then the whole capacity at once",
    0,
    async (limiter, ctx) => {
      await limiter.reset(ctx, "failedLogins");
      return limiter.limit(ctx, "failedLogins", { count: 10 });
    },
  ],
  ...[0, 0, 1500, 1500].map((after): (typeof calls)[number] => [
    "a config inline",
    after,
    inline,
  ]),
  [
    "getValue, and calculateRateLimit on what it returns",
    0,
    async (limiter, ctx, { calculateRateLimit }) => {
      const { config, value, ts } = await limiter.getValue(ctx, "sendMessage", {
        key: "user",
      });
      return [
        { config, value, ts },
        calculateRateLimit({ value, ts }, config, Date.now(), 1),
        calculateRateLimit({ value, ts }, config, Date.now() + 6000, 0),
      ];
    },
  ],
  [
    "getValue of a limit that was never used",
    0,
    (limiter, ctx) => limiter.getValue(ctx, "sendMessage"),
  ],
  [
    "a reservation",
    0,
    (limiter, ctx) =>
      limiter.limit(ctx, "freeTrialSignUp", { count: 100, reserve: true }),
  ],
  ["a denial after a reservation", HOUR, limit("freeTrialSignUp")],
  [
    "more than a limit could ever grant",
    0,
    (limiter, ctx) =>
      limiter.limit(ctx, "sendMessage", { count: 4 }).catch((error: Error) => {
        const exceeds = /Rate limit sendMessage count 4 exceeds 3/;
        return exceeds.test(error.message);
      }),
  ],
  [
    "a name that is not defined",
    0,
    (limiter, ctx) => limiter.limit(ctx, "nowhere").catch(() => "an error"),
  ],
];

async function play(mounted: Mounted, from = 0, to = calls.length) {
  const limiter = mounted.limiter(readme);
  const answers: unknown[] = [];
  for (const [call, after, run] of calls.slice(from, to)) {
    vi.setSystemTime(Date.now() + after);
    const answer = await mounted.run((ctx) => run(limiter, ctx, mounted));
    answers.push([call, answer]);
  }
  return answers;
}

test.each([
  ["this package", mountOurs],
  ["the peer's client on this component", mountMixed],
])("%s answers each call of the peer's README alike", async (_, mount) => {
  const expected = await play(mountPeer());
  vi.setSystemTime(MIDNIGHT);
  expect(await play(mount())).toEqual(expected);
});

test("what the peer's client would queue is taken at once", async () => {
  const { run, limiter: limiterOf } = mountMixed();
  const limiter = limiterOf({
    limit: {
      kind: "token bucket",
      rate: 10,
      period: MINUTE,
      applyUpdates: "asynchronously",
    },
  });
  const take = () => run((ctx) => limiter.limit(ctx, "limit", { count: 6 }));
  const value = () =>
    run(async (ctx) => (await limiter.getValue(ctx, "limit")).value);
  expect(await take()).toEqual({ ok: true });
  expect(await value()).toBe(4);
  expect(await take()).toEqual({ ok: false, retryAfter: 12_000 });
  expect(await run((ctx) => limiter.check(ctx, "limit"))).toEqual({
    ok: true,
  });
  expect(await askedByBrowser(limiter, run, {})).toBe(10);
  await run((ctx) => limiter.reset(ctx, "limit"));
  expect(await value()).toBe(10);
  expect(await take()).toEqual({ ok: true });
  expect(await value()).toBe(4);
});

test.each(calls.map(([call], i) => [i, call] as const))(
  "rows that the peer wrote before call %i of its README (%s) are understood",
  async (i) => {
    const before = mountPeer();
    await play(before, 0, i);
    const swappedAt = Date.now();
    const rows = await before.rows();
    const expected = await play(before, i);

    vi.setSystemTime(swappedAt);
    const after = mountOurs();
    await after.restore(rows);
    expect(await play(after, i)).toEqual(expected);
  },
);

test("the package exports each value that the peer exports", () => {
  expect(Object.keys(ours)).toEqual(expect.arrayContaining(Object.keys(peer)));
  expect(Object.keys(oursTest).sort()).toEqual(Object.keys(peerTest).sort());
  expect(ours.default).toBe(ours.RateLimiter);
  const { SECOND, MINUTE, HOUR, DAY, WEEK } = ours;
  expect(peer).toMatchObject({ SECOND, MINUTE, HOUR, DAY, WEEK });
});

test("the table has the peer's name, fields and index", () => {
  type Exported = { indexes: unknown[]; documentType: { value: object } };
  const table = (of: typeof oursTest | typeof peerTest) =>
    (
      of.schema.tables as unknown as {
        rateLimits: { export: () => Exported };
      }
    ).rateLimits.export();
  const [our, their] = [table(oursTest), table(peerTest)];
  expect(our.documentType.value).toMatchObject(their.documentType.value);
  expect(our.indexes).toEqual(expect.arrayContaining(their.indexes));
});
