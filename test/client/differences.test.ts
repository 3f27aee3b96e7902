import {
  HOUR,
  MINUTE,
  SECOND,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { afterEach, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillTimers } from "../support/host.js";
import {
  askedByBrowser,
  mountOurs,
  mountPeer,
  type Mounted,
} from "./bothPackages.js";

// The worker of the other package would go on for ever.
useStillTimers();
afterEach(() => void vi.restoreAllMocks());

type Calls = (mounted: Mounted) => Promise<unknown>;
type Config = Parameters<Mounted["limiter"]>[0][string];
type Asked = {
  key?: string;
  count?: number;
  reserve?: boolean;
  throws?: boolean;
};

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const window = { ...bucket, kind: "fixed window" } as const;
const split = { ...bucket, rate: 100, shards: 10 };
const asynchronous = { ...bucket, applyUpdates: "asynchronously" } as const;

/** Makes requests of one limit in turn, in one mutation, and returns the last answer. */
const requests =
  (of: RateLimitConfig, ...all: Asked[]): Calls =>
  ({ inline, run }) =>
    run(async (ctx) => {
      let last: unknown;
      for (const request of all) {
        // The peer's types allow less.
        const config = of as Config;
        last = await inline.limit(ctx, "limit", { config, ...request });
      }
      return last;
    });

const shown =
  <Field extends "value" | "config">(
    field: Field,
    config: Config,
    count: number,
  ): Calls =>
  ({ inline, run }) =>
    run(async (ctx) => {
      await inline.limit(ctx, "limit", { config, count });
      return (await inline.getValue(ctx, "limit", { config }))[field];
    });

/** `getValue`, `ms` after a call for `count`, unless that is 0. */
const shownAfter =
  (config: Config, count: number, ms: number): Calls =>
  ({ inline, run }) =>
    run(async (ctx) => {
      if (count > 0) await inline.limit(ctx, "limit", { config, count });
      vi.setSystemTime(MIDNIGHT + ms);
      const { value, ts } = await inline.getValue(ctx, "limit", { config });
      return { value, ts };
    });

const browser =
  (args: object): Calls =>
  ({ limiter, run }) =>
    askedByBrowser(limiter({ limit: bucket }), run, args);

const stepBack: Calls = async ({ inline, run }) => {
  const take = () =>
    run((ctx) => inline.limit(ctx, "limit", { config: bucket }));
  await take();
  vi.setSystemTime(MIDNIGHT - MINUTE);
  return take();
};

/** How many different waits denials have, each after a reset. */
const phases: Calls = async ({ inline, run }) => {
  const waits = new Set<unknown>();
  const of = { config: window };
  for (const random of [0.1, 0.5, 0.9]) {
    vi.spyOn(Math, "random").mockReturnValue(random);
    const denied = run(async (ctx) => {
      await inline.reset(ctx, "limit");
      await inline.limit(ctx, "limit", { ...of, count: 10 });
      return (await inline.limit(ctx, "limit", of)).retryAfter;
    });
    waits.add(await denied);
  }
  return waits.size;
};

/** Whether single tokens are granted, one mutation each, until none is left. */
const takesAll: Calls = async ({ inline, run }) => {
  const config: Config = { ...bucket, rate: 40, period: HOUR, shards: 20 };
  const take = () => run((ctx) => inline.limit(ctx, "limit", { config }));
  for (let granted = 0; ; granted++) {
    const answer = await take();
    if (!("ok" in answer && answer.ok)) return granted === 40;
  }
};

/** `reset` with a field that it does not take, which a variable lets pass. */
const resetWith =
  (options: object): Calls =>
  ({ limiter, run }) =>
    run(async (ctx) => {
      await limiter({ limit: bucket }).reset(ctx, "limit", options);
      return "reset";
    });

const badConfig: Calls = async ({ limiter }) => {
  try {
    limiter({ oops: { ...bucket, rate: -1 } });
    return "accepted";
  } catch (error) {
    return (error as Error).message;
  }
};

const windowStart: Calls = async ({ calculateRateLimit }) =>
  calculateRateLimit({ value: 3, ts: 0 }, window, 2 * MINUTE + SECOND)
    .windowStart;

const ok = { ok: true };
const denied = (retryAfter: number) => ({ ok: false, retryAfter });
const thrown = (thrown: string): unknown =>
  expect.objectContaining({
    thrown: expect.stringContaining(thrown) as string,
  });
const failed = (data: object): unknown => expect.objectContaining({ data });

const differences: [what: string, Calls, ours: unknown, peers: unknown][] = [
  [
    "retryAfter is a whole number of ms",
    requests({ ...bucket, rate: 7, period: SECOND }, { count: 7 }, {}),
    denied(143),
    denied(1000 / 7),
  ],
  [
    "a denied reservation waits until it would be granted",
    requests(
      { ...bucket, maxReserved: 5 },
      { count: 15, reserve: true },
      { reserve: true },
    ),
    denied(6000),
    denied(36_000),
  ],
  [
    "a count that can never be granted throws a ConvexError with data",
    requests(bucket, { count: 11 }),
    failed({ kind: "ExceedsCapacity", name: "limit", count: 11, max: 10 }),
    { thrown: "Rate limit limit count 11 exceeds 10." },
  ],
  [
    "a count that is NaN is refused",
    requests(bucket, { count: NaN }, { count: 10 }, { count: 10 }),
    thrown("count must be"),
    ok,
  ],
  [
    "a misspelt option is refused by a message that names the limit",
    requests(bucket, { cuont: 2 } as object),
    thrown("Rate limit limit: limit does not take cuont. Did you mean count?"),
    thrown("Unexpected field `cuont`"),
  ],
  [
    "reset refuses an option that it does not take",
    resetWith({ count: 2 }),
    thrown("Rate limit limit: reset does not take count."),
    "reset",
  ],
  [
    "a fraction of shards is refused",
    requests({ ...bucket, shards: 2.4 }, {}),
    thrown('shards must be "auto" or a whole number'),
    ok,
  ],
  [
    "a period of 0 is refused",
    requests({ ...bucket, period: 0 }, {}),
    thrown("period must be"),
    ok,
  ],
  [
    "a bad config is refused where it is written",
    badConfig,
    "Rate limit oops: rate must be a finite number above 0, but is -1.",
    "accepted",
  ],
  [
    "maxReserved: 0 allows no reservation",
    requests({ ...bucket, maxReserved: 0 }, { count: 10 }, { reserve: true }),
    denied(6000),
    { ok: true, retryAfter: 6000 },
  ],
  [
    "a clock that steps back takes no tokens away",
    stepBack,
    ok,
    denied(12_000),
  ],
  [
    "a deficit below 1e-6 is ignored",
    requests(bucket, { count: 9 }, { count: 1 + 5e-7 }),
    ok,
    denied(expect.closeTo(0.003, 4) as number),
  ],
  [
    "a window may start in the future",
    requests({ ...window, start: MIDNIGHT + 5 * MINUTE }, { count: 10 }),
    ok,
    denied(5 * MINUTE),
  ],
  [
    "getValue keeps start: 0",
    shown("config", { ...window, start: 0 }, 1),
    expect.objectContaining({ start: 0 }),
    expect.objectContaining({ start: MIDNIGHT }),
  ],
  [
    "getValue shows a limit that has been full for an hour as full",
    shownAfter(bucket, 1, MINUTE + HOUR),
    { value: 10, ts: 0 },
    { value: 9, ts: MIDNIGHT },
  ],
  [
    "getValue shows the start of an unused window",
    shownAfter({ ...window, start: 5000 }, 0, 0),
    { value: 10, ts: 5000 },
    { value: 10, ts: 0 },
  ],
  ["windows without start begin at the same time after a reset", phases, 1, 3],
  [
    "windowStart is the start of the window at the given time",
    windowStart,
    2 * MINUTE,
    0,
  ],
  [
    "a split limit serves a count of up to its whole capacity",
    requests(split, { count: 100 }),
    ok,
    thrown("count 100 exceeds 20 per 10 shards"),
  ],
  ["a split limit grants one caller all that it holds", takesAll, true, false],
  [
    "getValue of a split limit sums its rows",
    shown("value", split, 3),
    97,
    expect.toSatisfy((n: number) => n === 100 || n === 7),
  ],
  [
    'the next call sees what applyUpdates: "asynchronously" takes',
    requests(asynchronous, { count: 10 }, {}),
    denied(6000),
    ok,
  ],
  [
    "asynchronous updates and shards go together",
    requests({ ...asynchronous, shards: 2 }, {}),
    ok,
    thrown("can't be sharded"),
  ],
  [
    "a browser cannot choose the config of hookAPI",
    browser({ config: { ...bucket, rate: 99 } }),
    thrown("the config is the server's to choose"),
    99,
  ],
  [
    "a browser cannot choose the limit of hookAPI",
    browser({ name: "other", config: undefined }),
    thrown("not for other"),
    thrown("other not defined"),
  ],
];

test.for(differences)(
  "differs on purpose (docs/migrating.md): %s",
  async ([, calls, ours, peers]) => {
    for (const [mounted, answer] of [
      [mountOurs(), ours],
      [mountPeer(), peers],
    ] as const) {
      vi.setSystemTime(MIDNIGHT);
      expect(await calls(mounted)).toEqual(answer);
    }
  },
);
