import * as peer from "@convex-dev/rate-limiter";
import peerTest from "@convex-dev/rate-limiter/test";
import * as ours from "convex-rate-limiter";
import oursTest from "convex-rate-limiter/test";
import { convexTest } from "convex-test";
import {
  componentsGeneric,
  defineSchema,
  type GenericMutationCtx,
  type GenericDataModel,
} from "convex/server";
import type { Value } from "convex/values";
import { afterEach, describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillTimers } from "../host.js";

const { MINUTE, HOUR, SECOND } = ours;

// The worker of the other package would go on for ever.
useStillTimers();
afterEach(() => void vi.restoreAllMocks());

/** What both packages are called with: the peer's own type. */
type Peer = typeof peer;
type PeerLimiter = peer.RateLimiter<Record<string, peer.RateLimitConfig>>;
type Ctx = GenericMutationCtx<GenericDataModel>;

/** One package, mounted in an app of its own. */
type Mounted = {
  limiter: (limits: Record<string, peer.RateLimitConfig>) => PeerLimiter;
  /** One without named limits. */
  inline: peer.RateLimiter;
  calculateRateLimit: Peer["calculateRateLimit"];
  isRateLimitError: Peer["isRateLimitError"];
  /** Runs in one mutation; an error becomes `{ thrown }`. */
  run: <T>(handler: (ctx: Ctx) => Promise<T>) => Promise<T | Thrown>;
  rows: () => Promise<Record<string, Value>[]>;
  restore: (rows: Record<string, Value>[]) => Promise<void>;
};

type Thrown = { thrown: string; data?: unknown };

function mount(
  package_: Pick<Peer, "calculateRateLimit" | "isRateLimitError"> & {
    RateLimiter: unknown;
  },
  { register }: Pick<typeof peerTest, "register">,
): Mounted {
  const t = convexTest({
    schema: defineSchema({}),
    modules: { "./_generated/api.ts": async () => ({}) },
  });
  register(t);
  const RateLimiter = package_.RateLimiter as typeof peer.RateLimiter;
  const components = componentsGeneric() as unknown as {
    rateLimiter: ConstructorParameters<typeof RateLimiter>[0];
  };
  const { runInComponent } = t as unknown as {
    runInComponent: <T>(
      path: string,
      handler: (ctx: Ctx) => Promise<T>,
    ) => Promise<T>;
  };
  return {
    limiter: (limits) => new RateLimiter(components.rateLimiter, limits),
    inline: new RateLimiter(components.rateLimiter),
    calculateRateLimit: package_.calculateRateLimit,
    isRateLimitError: package_.isRateLimitError,
    run: <T>(handler: (ctx: Ctx) => Promise<T>) =>
      t
        .mutation((ctx) => handler(ctx as unknown as Ctx))
        .catch((error: Error & { data?: unknown }) => ({
          thrown: error.message,
          ...(error.data !== undefined && { data: error.data }),
        })),
    rows: () =>
      runInComponent("rateLimiter", async ({ db }) => {
        const rows = await db.query("rateLimits").collect();
        return rows.map(
          ({ _id, _creationTime, ...row }) => row as Record<string, Value>,
        );
      }),
    restore: (rows) =>
      runInComponent("rateLimiter", async ({ db }) => {
        for (const row of rows) await db.insert("rateLimits", row);
      }),
  };
}

const mountPeer = () => mount(peer, peerTest);
const mountOurs = () => mount(ours as unknown as Peer, oursTest);

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

type Call = {
  call: string;
  /** How far the clock moves first, in ms. */
  after?: number;
  run: (limiter: PeerLimiter, ctx: Ctx, mounted: Mounted) => Promise<unknown>;
};

/** The calls that the peer's README shows, in the order in which it shows them. */
const calls: Call[] = [
  {
    call: "a simple global limit",
    run: (limiter, ctx) => limiter.limit(ctx, "freeTrialSignUp"),
  },
  {
    call: "more than a fixed window holds",
    after: 10 * MINUTE,
    run: (limiter, ctx) =>
      limiter.limit(ctx, "freeTrialSignUp", { count: 100 }),
  },
  ...[0, 0, 0, 0, 3000, 3000].map((after) => ({
    call: "a per-user limit",
    after,
    run: (limiter: PeerLimiter, ctx: Ctx) =>
      limiter.limit(ctx, "sendMessage", { key: "user" }),
  })),
  {
    call: "a per-user limit, for another user",
    run: (limiter, ctx) => limiter.limit(ctx, "sendMessage", { key: "other" }),
  },
  {
    call: "a custom count of a split limit",
    run: (limiter, ctx) => limiter.limit(ctx, "llmTokens", { count: 2500 }),
  },
  {
    call: "check, which consumes nothing",
    run: (limiter, ctx) =>
      limiter.check(ctx, "failedLogins", { key: "user", count: 10 }),
  },
  {
    call: "throws, while there are tokens",
    run: (limiter, ctx) =>
      limiter.limit(ctx, "failedLogins", { key: "user", throws: true }),
  },
  {
    call: "throws, when there are none",
    run: async (limiter, ctx, { isRateLimitError }) => {
      await limiter.limit(ctx, "failedLogins", { count: 10 });
      return limiter
        .limit(ctx, "failedLogins", { throws: true })
        .catch((error: unknown) => [
          isRateLimitError(error),
          isRateLimitError(error) && error.data,
        ]);
    },
  },
  {
    call: "reset, and then all of it at once",
    run: async (limiter, ctx) => {
      await limiter.reset(ctx, "failedLogins");
      return limiter.limit(ctx, "failedLogins", { count: 10 });
    },
  },
  ...[0, 0, 1500, 1500].map((after) => ({
    call: "a config inline",
    after,
    run: (_: PeerLimiter, ctx: Ctx, { inline }: Mounted) =>
      inline.limit(ctx, "oneOffName", {
        config: { kind: "fixed window", rate: 1, period: SECOND, start: 0 },
      }),
  })),
  {
    call: "getValue, and calculateRateLimit on what it returns",
    run: async (limiter, ctx, { calculateRateLimit }) => {
      const { config, value, ts } = await limiter.getValue(ctx, "sendMessage", {
        key: "user",
      });
      return [
        { config, value, ts },
        calculateRateLimit({ value, ts }, config, Date.now(), 1),
        calculateRateLimit({ value, ts }, config, Date.now() + 6000, 0),
      ];
    },
  },
  {
    call: "getValue of a limit that was never used",
    run: (limiter, ctx) => limiter.getValue(ctx, "sendMessage"),
  },
  {
    call: "a reservation",
    run: (limiter, ctx) =>
      limiter.limit(ctx, "freeTrialSignUp", { count: 100, reserve: true }),
  },
  {
    call: "a denial after a reservation",
    after: HOUR,
    run: (limiter, ctx) => limiter.limit(ctx, "freeTrialSignUp"),
  },
  {
    call: "more than a limit could ever grant",
    run: (limiter, ctx) =>
      limiter.limit(ctx, "sendMessage", { count: 4 }).catch((error: Error) => {
        const said = /Rate limit sendMessage count 4 exceeds 3/;
        return said.test(error.message);
      }),
  },
  {
    call: "a name that is not defined",
    run: (limiter, ctx) =>
      limiter.limit(ctx, "nowhere").catch(() => "an error"),
  },
];

async function play(mounted: Mounted, from: number, to: number) {
  const limiter = mounted.limiter(readme);
  const answers: unknown[] = [];
  for (const { call, after = 0, run } of calls.slice(from, to)) {
    vi.setSystemTime(Date.now() + after);
    answers.push([
      call,
      await mounted.run((ctx) => run(limiter, ctx, mounted)),
    ]);
  }
  return answers;
}

test("each call of the peer's README gets the same answer from both", async () => {
  const expected = await play(mountPeer(), 0, calls.length);
  vi.setSystemTime(MIDNIGHT);
  expect(await play(mountOurs(), 0, calls.length)).toEqual(expected);
});

describe("the peer's own client runs against this component", () => {
  const mountMixed = () => mount(peer, oursTest);

  test("with the answers that it gets from its own", async () => {
    const expected = await play(mountPeer(), 0, calls.length);
    vi.setSystemTime(MIDNIGHT);
    expect(await play(mountMixed(), 0, calls.length)).toEqual(expected);
  });

  test("asynchronously: what it queues is taken at once", async () => {
    const mounted = mountMixed();
    const { run } = mounted;
    const limiter = mounted.limiter({
      limit: { ...bucket, applyUpdates: "asynchronously" },
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
});

test.each(calls.map(({ call }, i) => [i, call] as const))(
  "rows that the peer wrote up to call %i are understood (%s)",
  async (i) => {
    const before = mountPeer();
    await play(before, 0, i);
    const swappedAt = Date.now();
    const rows = await before.rows();
    const expected = await play(before, i, calls.length);

    vi.setSystemTime(swappedAt);
    const after = mountOurs();
    await after.restore(rows);
    expect(await play(after, i, calls.length)).toEqual(expected);
  },
);

test("rows that hold NaN, as the peer could store, are full and become sound when written", async () => {
  const { restore, limiter, run, rows } = mountOurs();
  await restore([{ name: "failedLogins", shard: 0, value: NaN, ts: MIDNIGHT }]);
  expect(
    await run((ctx) => limiter(readme).limit(ctx, "failedLogins")),
  ).toEqual({ ok: true });
  expect(await rows()).toMatchObject([{ value: 9, ts: MIDNIGHT }]);
});

type Difference = {
  difference: string;
  why: string;
  limit?: peer.RateLimitConfig;
  run: (limiter: PeerLimiter, mounted: Mounted) => Promise<unknown>;
  ours: unknown;
  peer: unknown;
};

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const thrown = (message: string): unknown =>
  expect.objectContaining({
    thrown: expect.stringContaining(message) as string,
  });

/** Takes single tokens, one mutation each, until one is denied. */
async function takeAll(limiter: PeerLimiter, { run }: Mounted) {
  for (let granted = 0; ; granted++) {
    const answer = await run((ctx) => limiter.limit(ctx, "limit"));
    if (!("ok" in answer && answer.ok)) return granted;
  }
}

const askedByBrowser = (
  limiter: PeerLimiter,
  run: Mounted["run"],
  args: object,
) => {
  const { getRateLimit } = limiter.hookAPI("limit");
  const { _handler } = getRateLimit as unknown as {
    _handler: (ctx: Ctx, args: object) => Promise<peer.RateLimitArgs>;
  };
  return run(async (ctx) => (await _handler(ctx, args)).config.rate);
};

/** What differs on purpose. docs/migrating.md lists the same, for people. */
const differences: Difference[] = [
  {
    difference: "retryAfter is a whole number of ms",
    why: "a timer cannot wait for a fraction, and would wake too early",
    limit: { kind: "token bucket", rate: 7, period: SECOND },
    run: (limiter, { run }) =>
      run(async (ctx) => {
        await limiter.limit(ctx, "limit", { count: 7 });
        return (await limiter.limit(ctx, "limit")).retryAfter;
      }),
    ours: 143,
    peer: 1000 / 7,
  },
  {
    difference: "throws does not throw a reservation that is granted",
    why: "throwing rolls the reservation back that it reports",
    run: (limiter, { run }) =>
      run((ctx) =>
        limiter.limit(ctx, "limit", { count: 12, reserve: true, throws: true }),
      ),
    ours: { ok: true, retryAfter: 12_000 },
    peer: thrown("RateLimited"),
  },
  {
    difference: "the error that throws throws also names the key",
    why: "whoever catches it can tell whose limit it was",
    run: (limiter, { run }) =>
      run(async (ctx) => {
        await limiter.limit(ctx, "limit", { key: "anna", count: 10 });
        return limiter
          .limit(ctx, "limit", { key: "anna", throws: true })
          .catch((error: { data: unknown }) => error.data);
      }),
    ours: {
      kind: "RateLimited",
      name: "limit",
      retryAfter: 6000,
      key: "anna",
    },
    peer: { kind: "RateLimited", name: "limit", retryAfter: 6000 },
  },
  {
    difference: "what can never be granted is a ConvexError with data",
    why: "a client sees the reason in production too, where it sees no message",
    run: (limiter, { run }) =>
      run((ctx) =>
        limiter
          .limit(ctx, "limit", { count: 11 })
          .catch((error: { data?: unknown }) => error.data ?? "no data"),
      ),
    ours: { kind: "ExceedsCapacity", name: "limit", count: 11, max: 10 },
    peer: "no data",
  },
  {
    difference: "a count of NaN is refused",
    why: "stored, it disables the limit for good",
    run: async (limiter, mounted) => {
      const { run } = mounted;
      await run((ctx) => limiter.limit(ctx, "limit", { count: NaN }));
      return run((ctx) => limiter.limit(ctx, "limit", { count: 1 })).then(
        async (answer) => [answer, (await mounted.rows())[0]?.value],
      );
    },
    ours: [{ ok: true }, 9],
    peer: [{ ok: true }, NaN],
  },
  {
    difference: "a negative count is refused",
    why: "it gives tokens back beyond the capacity; credit gives back up to it",
    run: async (limiter, { run, rows }) => {
      await run((ctx) => limiter.limit(ctx, "limit", { count: -5 }));
      return rows();
    },
    ours: [],
    peer: [{ name: "limit", shard: 0, value: 15, ts: MIDNIGHT }],
  },
  {
    difference: "maxReserved: 0 allows no reservation",
    why: "0 is a value; left out, reservations are unlimited",
    limit: { ...bucket, maxReserved: 0 },
    run: (limiter, { run }) =>
      run(async (ctx) => {
        await limiter.limit(ctx, "limit", { count: 10 });
        return limiter.limit(ctx, "limit", { reserve: true });
      }),
    ours: { ok: false, retryAfter: 6000 },
    peer: { ok: true, retryAfter: 6000 },
  },
  {
    difference: "a window may start in the future",
    why: "start says where the grid of windows lies, not when the limit begins",
    limit: { ...bucket, kind: "fixed window", start: MIDNIGHT + 5 * MINUTE },
    run: (limiter, { run }) =>
      run((ctx) => limiter.limit(ctx, "limit", { count: 10 })),
    ours: { ok: true },
    peer: { ok: false, retryAfter: 5 * MINUTE },
  },
  {
    difference: "a clock that steps back takes no tokens away",
    why: "time never runs backwards: a limit waits until it has caught up",
    run: async (limiter, { run }) => {
      await run((ctx) => limiter.limit(ctx, "limit"));
      vi.setSystemTime(MIDNIGHT - MINUTE);
      return run((ctx) => limiter.limit(ctx, "limit"));
    },
    ours: { ok: true },
    peer: { ok: false, retryAfter: 12_000 },
  },
  {
    difference: "the windows of a limit without start keep their place",
    why: "derived from name and key, they do not move with a reset or a cleanup",
    limit: { ...bucket, kind: "fixed window" },
    run: async (limiter, { run }) => {
      const waits = new Set<unknown>();
      for (const random of [0.1, 0.5, 0.9]) {
        vi.spyOn(Math, "random").mockReturnValue(random);
        waits.add(
          await run(async (ctx) => {
            await limiter.reset(ctx, "limit");
            await limiter.limit(ctx, "limit", { count: 10 });
            return (await limiter.limit(ctx, "limit")).retryAfter;
          }),
        );
      }
      return waits.size;
    },
    ours: 1,
    peer: 3,
  },
  {
    difference: "a split limit serves a count of up to its whole capacity",
    why: "splitting is for throughput, and does not change what a limit means",
    limit: { ...bucket, rate: 100, shards: 10 },
    run: (limiter, { run }) =>
      run((ctx) => limiter.limit(ctx, "limit", { count: 100 })),
    ours: { ok: true },
    peer: thrown("count 100 exceeds 20 per 10 shards"),
  },
  {
    difference: "a split limit grants one caller all that it holds",
    why: "the peer denies while other rows hold tokens",
    limit: { ...bucket, rate: 100, period: HOUR, shards: 50 },
    run: async (limiter, mounted) => (await takeAll(limiter, mounted)) === 100,
    ours: true,
    peer: false,
  },
  {
    difference: "getValue of a split limit sums its rows",
    why: "the peer gives one row's balance beside the whole limit's config",
    limit: { ...bucket, rate: 100, shards: 10 },
    run: async (limiter, { run }) => {
      await run((ctx) => limiter.limit(ctx, "limit", { count: 3 }));
      return run(async (ctx) => (await limiter.getValue(ctx, "limit")).value);
    },
    ours: 97,
    peer: expect.toSatisfy((n: number) => n === 100 || n === 7) as number,
  },
  {
    difference: 'what applyUpdates: "asynchronously" takes, the next call sees',
    why: "a burst cannot overshoot until a worker has run",
    limit: { ...bucket, applyUpdates: "asynchronously" },
    run: async (limiter, { run }) => {
      const all = { count: bucket.rate };
      await run((ctx) => limiter.limit(ctx, "limit", all));
      return run(async (ctx) => (await limiter.limit(ctx, "limit", all)).ok);
    },
    ours: false,
    peer: true,
  },
  {
    difference: "a browser cannot choose the config of hookAPI",
    why: "it could read any limit as any rule",
    run: (limiter, { run }) =>
      askedByBrowser(limiter, run, { config: { ...bucket, rate: 99 } }),
    ours: thrown("the config is the server's to choose"),
    peer: 99,
  },
  {
    difference: "a browser cannot choose the limit of hookAPI",
    why: "it could read any limit of the app",
    run: (limiter, { run }) =>
      askedByBrowser(limiter, run, { name: "other", config: undefined }),
    ours: thrown("not for other"),
    peer: thrown("other not defined"),
  },
  {
    difference: "a bad config is refused where it is written",
    why: "the constructor runs when the module loads, and names limit and field",
    run: async (_limiter, { limiter }) => {
      try {
        limiter({ oops: { ...bucket, rate: -1 } });
        return "accepted";
      } catch (error) {
        return (error as Error).message;
      }
    },
    ours: "Rate limit oops: rate must be a finite number above 0, but is -1.",
    peer: "accepted",
  },
  {
    difference: "half a shard is refused",
    why: "the peer rounds it, and counts by the number that it was given",
    run: (_limiter, { inline, run }) =>
      run((ctx) =>
        inline.limit(ctx, "inline", { config: { ...bucket, shards: 2.4 } }),
      ),
    ours: thrown("shards must be a whole number"),
    peer: { ok: true },
  },
];

describe("differs on purpose", () => {
  test.each(differences)(
    "$difference, for $why",
    async ({ limit = bucket, run, ...expected }) => {
      for (const [mounted, answer] of [
        [mountOurs(), expected.ours],
        [mountPeer(), expected.peer],
      ] as const) {
        vi.setSystemTime(MIDNIGHT);
        expect(await run(mounted.limiter({ limit }), mounted)).toEqual(answer);
      }
    },
  );
});

test("the package exports each value that the peer exports", () => {
  expect(Object.keys(ours)).toEqual(expect.arrayContaining(Object.keys(peer)));
  expect(Object.keys(oursTest).sort()).toEqual(Object.keys(peerTest).sort());
  expect(ours.default).toBe(ours.RateLimiter);
  const { SECOND, MINUTE, HOUR, DAY, WEEK } = ours;
  expect(peer).toMatchObject({ SECOND, MINUTE, HOUR, DAY, WEEK });
});

test("the table has the peer's name, fields and index", () => {
  type Table = {
    export: () => { indexes: unknown[]; documentType: unknown };
  };
  const table = (of: typeof oursTest | typeof peerTest) => {
    const { rateLimits } = of.schema.tables as unknown as Record<string, Table>;
    return rateLimits!.export() as {
      indexes: unknown[];
      documentType: { value: Record<string, unknown> };
    };
  };
  const [our, their] = [table(oursTest), table(peerTest)];
  expect(our.documentType.value).toMatchObject(their.documentType.value);
  expect(our.indexes).toEqual(expect.arrayContaining(their.indexes));
});
