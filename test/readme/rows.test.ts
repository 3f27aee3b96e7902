import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { afterEach, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
  type HostCtx,
} from "../support/host.js";

useStillClock();
afterEach(() => void vi.restoreAllMocks());

const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;

const limiter = new RateLimiter(components.rateLimiter, {
  one: ten,
  split: { ...ten, shards: 5 },
  excepted: { ...ten, overrides: true },
  counted: { ...ten, stats: true },
});

const page = { paginationOpts: { numItems: 10, cursor: null } };

const hour = { from: MIDNIGHT, to: MIDNIGHT + 60 * MINUTE };

type Use = (ctx: HostCtx) => Promise<unknown>;

const take =
  (name: "one" | "split" | "excepted" | "counted", count = 1): Use =>
  (ctx) =>
    limiter.limit(ctx, name, { count });
const ban =
  (key?: string): Use =>
  (ctx) =>
    limiter.setOverride(ctx, "excepted", { key, deny: true });

const refill: Use = async () => void vi.setSystemTime(MIDNIGHT + MINUTE);

/** Refills all rows, and empties the one that the call will read first. */
const takeFirstRow: Use = async (ctx) => {
  vi.setSystemTime(MIDNIGHT + MINUTE);
  vi.spyOn(Math, "random").mockReturnValue(0);
  await limiter.limit(ctx, "split", { count: 2 });
};

const short = [take("split"), take("split", 9)];
const both = [take("one"), take("excepted")];
const pair = [{ name: "one" }, { name: "excepted" }] as const;
const counted = [take("counted"), take("counted")];

const table: [
  name: string,
  before: Use[],
  call: Use,
  rowsRead: number,
  rowsWritten: number,
][] = [
  ["limit, granted", [take("one")], take("one"), 1, 1],
  ["limit, denied", [take("one", 10)], take("one"), 1, 0],
  ["limit, sharded", [...short, refill], take("split"), 2, 1],
  [
    "limit, sharded, first row short",
    [...short, takeFirstRow],
    take("split"),
    3,
    1,
  ],
  ["check", [take("one")], (ctx) => limiter.check(ctx, "one"), 1, 0],
  [
    "check, sharded and short, which reads three of its six rows twice,",
    short,
    (ctx) => limiter.check(ctx, "split"),
    9,
    0,
  ],
  ["limitAll", both, (ctx) => limiter.limitAll(ctx, pair), 2, 2],
  ["checkAll", both, (ctx) => limiter.checkAll(ctx, pair), 2, 0],
  ["reset", short, (ctx) => limiter.reset(ctx, "split"), 6, 6],
  [
    "getValue, which reads row 0 twice,",
    short,
    (ctx) => limiter.getValue(ctx, "split"),
    7,
    0,
  ],
  [
    "getValue, sampled",
    short,
    (ctx) => limiter.getValue(ctx, "split", { sampleShards: 2 }),
    3,
    0,
  ],
  ["credit", [take("one")], (ctx) => limiter.credit(ctx, "one"), 1, 1],
  ["charge", [take("one")], (ctx) => limiter.charge(ctx, "one"), 1, 1],
  ["setOverride", [ban()], ban(), 1, 1],
  [
    "clearOverride",
    [ban()],
    (ctx) => limiter.clearOverride(ctx, "excepted"),
    1,
    1,
  ],
  ["listOverrides", [ban()], (ctx) => limiter.listOverrides(ctx, page), 1, 0],
  ["list", [take("one")], (ctx) => limiter.list(ctx, page), 2, 0],
  ["limit with an override", [ban()], take("excepted"), 1, 0],
  [
    "limit with the override of another key between",
    [ban(), ban("a")],
    (ctx) => limiter.limit(ctx, "excepted", { key: "b" }),
    2,
    0,
  ],
  [
    "stats, of two events that are not folded,",
    counted,
    (ctx) => limiter.stats(ctx, "counted", { ...hour, by: "minute" }),
    2,
    0,
  ],
  [
    "topDenied, of two events that are not folded,",
    counted,
    (ctx) => limiter.topDenied(ctx, "counted", hour),
    2,
    0,
  ],
];

test.for(table)(
  "%s reads and writes the rows that its docstring says",
  async ([, before, call, read, written]) => {
    const t = startHost();
    for (const use of before) {
      await t.mutation(async (ctx) => {
        await use(ctx);
      });
    }
    const used = await t.mutation(async (ctx) => {
      await call(ctx);
      const metrics = await ctx.meta.getTransactionMetrics();
      const written = metrics.documentsWritten.used;
      // Each write here changes a row that was read, and counts it as read again.
      return { read: metrics.documentsRead.used - written, written };
    });
    expect(used).toEqual({ read, written });
  },
);
