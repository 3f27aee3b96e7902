import {
  HOUR,
  MINUTE,
  type LimitConfig,
  type RateLimitConfig,
  type RateLimitListOptions,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { toStored } from "../../src/core/config.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import {
  bucket,
  deployed,
  listAll,
  startApp,
  storeRows,
  window,
  type App,
} from "../support/startApp.js";
import { allPages } from "../support/allPages.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  storedRows,
  useStillClock,
  runVacuum,
} from "../support/host.js";
import { modesOf } from "../support/modes.js";

useStillClock();

const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const job = { kind: "concurrency", capacity: 3, lease: HOUR } as const;
const limits = {
  message: { ...ten, overrides: true },
  split: { kind: "token bucket", rate: 60, period: HOUR, shards: 6 },
  free: ten,
  job: { ...job, overrides: true },
} satisfies Record<string, LimitConfig>;

const start = (others: Record<string, LimitConfig> = {}) =>
  startApp({ ...limits, ...others });

type Options = Omit<RateLimitListOptions, "paginationOpts">;
type Page = { numItems: number; cursor: string | null; endCursor?: string };

const page = (
  { t, limiter }: App,
  paginationOpts: Page,
  options: Options = {},
) => t.query((ctx) => limiter.list(ctx, { ...options, paginationOpts }));

const hold = (app: App, key: string | undefined, count = 1) =>
  app.mutate((ctx) => app.limiter.hold(ctx, "job", { key, count }));

/** What row 0 of a key of `split` says about the rows below it. */
const ofRoot = {
  into: 6,
  rule: ruleOf(toLimit("split", toStored(limits.split))),
};

test("list shows a key's balance, capacity and last use, and whether it is limited", async () => {
  const app = start();
  await app.limit("message", { key: "anna", count: 10 });
  vi.setSystemTime(MIDNIGHT + 3_000);
  const anna = {
    name: "message",
    key: "anna",
    shards: [0.5],
    balance: 0.5,
    capacity: 10,
    usedAt: MIDNIGHT,
    limited: true,
  };
  expect(await listAll(app)).toEqual([anna]);
  vi.setSystemTime(MIDNIGHT + 6_000);
  expect(await listAll(app)).toEqual([
    { ...anna, balance: 1, shards: [1], limited: false },
  ]);
});

describe.each([1, 2, 100])("in pages of %i rows", (numItems) => {
  test("list shows each key once, by name and key: rows, then leases", async () => {
    const app = start({ build: job });
    for (const key of ["b", "a", "c"]) {
      await app.limit("split", { key, count: 55 });
    }
    await app.hold("build", { key: "z" });
    for (const key of ["y", "x", "y"]) {
      await app.limit("message", { key });
      await hold(app, key);
    }
    await app.limit("split", { count: 60 });
    const listed = await listAll(app, {}, numItems);
    const told = listed.map(
      ({ name, key, balance }) => `${name} ${key} ${Math.round(balance)}`,
    );
    expect(told).toEqual([
      ...["message x 9", "message y 8", "split undefined 0", "split a 5"],
      ...["split b 5", "split c 5", "build z 2", "job x 2", "job y 1"],
    ]);
    const last = {
      name: "job",
      key: "y",
      balance: 1,
      shards: [1],
      capacity: 3,
    };
    expect(listed.at(-1)).toEqual({
      ...{ ...last, usedAt: MIDNIGHT, limited: false },
    });
  });

  test("list by depletion shows each key once, the longest to refill first", async () => {
    const app = start();
    for (const [key, count] of [
      ["little", 2],
      ["most", 9],
      ["half", 5],
      ["most", 1],
    ] as const) {
      await app.limit("message", { key, count });
    }
    // An emptied row is what counts: it takes as long as if all were empty.
    await app.limit("split", { key: "one row", count: 10 });
    await app.limit("split", { key: "all rows", count: 60 });
    const order = "depleted";
    const keysOf = async (options: Options) =>
      (await listAll(app, { order, ...options }, numItems)).map(
        ({ key }) => key,
      );
    const keys = ["most", "half", "little"];
    expect(await keysOf({ name: "message" })).toEqual(keys);
    const all = await keysOf({});
    expect(all.slice(0, 2).sort()).toEqual(["all rows", "one row"]);
    expect(all.slice(2)).toEqual(keys);
  });
});

test.each([
  ["its last row", "a 10, b 30, a 50", ["a", "b"]],
  ["its first row", "a 50, b 30, a 10", ["a", "b"]],
  ["a row behind a key that takes longer", "a 10, b 70, a 50", ["b", "a"]],
  ["the newest row of those full at once", "a 10, b 10, a 10", ["a", "b"]],
])(
  "list by depletion orders a split key by its slowest row: %s",
  async (_, rows, order) => {
    const app = start();
    const shards = new Map<string, number>();
    const stored = rows.split(", ").map((row) => {
      const [key, ms] = row.split(" ") as [string, string];
      const shard = shards.get(key) ?? 0;
      shards.set(key, shard + 1);
      const state = { value: 0, ts: MIDNIGHT, fullAt: MIDNIGHT + Number(ms) };
      return { key, shard, ...state, ...(shard === 0 && ofRoot) };
    });
    await storeRows(app, "split", stored);
    const listed = await listAll(app, { order: "depleted" }, 1);
    expect(listed.map(({ key }) => key)).toEqual(order);
  },
);

test("list shows a key's override, which decides whether it is limited", async () => {
  const app = start();
  const overrides = [
    ["banned", { deny: true }],
    ["rich", { config: { capacity: 100 } }],
    ["vip", { unlimited: true }],
  ] as const;
  for (const [key, override] of overrides) {
    await app.limit("message", { key, count: 10 });
    await app.setOverride("message", { key, ...override });
  }
  vi.setSystemTime(MIDNIGHT + 30_000);
  expect(await listAll(app)).toMatchObject([
    { key: "banned", limited: true, override: { deny: true } },
    { key: "rich", capacity: 100, override: { config: { capacity: 100 } } },
    { key: "vip", limited: false, override: { unlimited: true } },
  ]);
});

test("list shows empty keys of a dry run as not limited, and banned ones as limited", async () => {
  const enforce = false;
  const app = startApp({
    bucket: { ...limits.message, enforce },
    job: { ...job, capacity: 1, enforce },
  });
  await app.limit("bucket", { key: "anna", count: 10 });
  await app.limit("bucket", { key: "bob" });
  await app.setOverride("bucket", { key: "bob", deny: true });
  await hold(app, "anna");
  expect(await listAll(app)).toMatchObject([
    { key: "anna", balance: 0, limited: false },
    { key: "bob", limited: true },
    { name: "job", balance: 0, limited: false },
  ]);
});

test("list by depletion shows rows of @convex-dev/rate-limiter last", async () => {
  const app = start();
  const ts = MIDNIGHT - 6_000;
  await storeRows(app, "message", [{ value: 1, ts }], "old");
  await app.limit("message", { key: "new" });
  for (const options of [
    {},
    { order: "depleted" },
    { order: "depleted", name: "message" },
  ] as const) {
    expect(await listAll(app, options)).toMatchObject([
      { key: "new" },
      { key: "old", balance: 2 },
    ]);
  }
});

test.each(["split", "inline"])(
  "a key of %s is listed with the last use of its rows",
  async (name) => {
    const app = start();
    const times = [MIDNIGHT - 5, MIDNIGHT, MIDNIGHT - 9];
    const fullAt = MIDNIGHT + HOUR;
    const rows = times.map((ts, shard) => ({
      ...{ value: 1, ts, fullAt, ...(shard === 0 && ofRoot) },
    }));
    await storeRows(app, name, rows);
    expect(await listAll(app)).toMatchObject([{ usedAt: MIDNIGHT }]);
  },
);

describe("list and listOverrides refuse", () => {
  const both = (app: App, paginationOpts: Page) => [
    page(app, paginationOpts),
    page(app, paginationOpts, { order: "depleted" }),
    app.t.query((ctx) => app.limiter.listOverrides(ctx, { paginationOpts })),
  ];

  test.each([0, -1, 1.5, NaN])(
    "paginationOpts with numItems: %d",
    async (numItems) => {
      const message = `paginationOpts.numItems must be a whole number of at least 1, but is ${numItems}.`;
      for (const asked of both(start(), { numItems, cursor: null })) {
        await expect(asked).rejects.toThrow(message);
      }
    },
  );

  test.each([
    ...["x", "0:x", "0:{}", "0:[1]", '0:[{"$a":1},"b",0,0,""]', "1:7"],
    ...["2:[1]", "[1]", '["a","b",0,{"$c":1}]', "[1,2,3,4,5,6]"],
    ...["3:", "-1:", "1", "2:null", "1:[1,2]", '1:["a",1]'],
  ])("with InvalidCursor the cursor %s", async (cursor) => {
    for (const asked of both(start(), { numItems: 1, cursor })) {
      await expect(asked).rejects.toThrow("InvalidCursor");
    }
  });

  test("with InvalidCursor a cursor of another order", async () => {
    const app = start();
    await app.limit("message", { key: "a" });
    const orders = [
      {},
      { order: "depleted" },
      { order: "depleted", name: "message" },
    ] as const;
    const read = (order: Options, cursor: string | null) =>
      page(app, { numItems: 1, cursor }, order);
    for (const order of orders) {
      const { continueCursor } = await read(order, null);
      for (const other of orders) {
        const next = read(other, continueCursor);
        if (other === order) await next;
        else await expect(next).rejects.toThrow("InvalidCursor");
      }
    }
  });
});

test("a page of list reads a key's rows once, not once for each of them", async () => {
  const { t, limit, limiter } = start();
  await limit("split", { key: "a" });
  await limit("split", { key: "a", count: 59 });
  const read = await t.query(async (ctx) => {
    const paginationOpts = { numItems: 100, cursor: null };
    await limiter.list(ctx, { name: "split", paginationOpts });
    return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
  });
  // The first four rows to find the key; row 0 and the six below it for the key.
  expect(read).toBe(11);
});

test.each(["key", "depleted"] as const)(
  "list with order %s reads keys of many rows in pages that fit a transaction",
  async (order) => {
    const api = { ...bucket(400, 50), period: HOUR };
    const transactionLimits = { documentsRead: 240 };
    const app = startApp({ api }, { transactionLimits });
    const rule = ruleOf(toLimit("api", api));
    const root = { value: 200, usedAt: 0, into: 50, rule };
    const state = { ts: MIDNIGHT, fullAt: MIDNIGHT + HOUR / 2 };
    const keys = ["a", "b", "c"];
    const rows = Array.from({ length: 51 }, (_, shard) => ({
      ...{ ...state, ...(shard === 0 ? root : { value: 4 }) },
    }));
    for (const key of keys) await storeRows(app, "api", rows, key);
    const listed = await listAll(app, { order, name: "api" }, 1100);
    expect(listed.map(({ key }) => key).sort()).toEqual(keys);
    for (const { balance } of listed) expect(balance).toBe(200);
  },
);

describe("a page read again up to where it ended, as a subscription does", () => {
  const useAll = async (app: App, keys: string[]) => {
    for (const key of keys) {
      await app.limit("message", { key });
      await app.limit("free", { key });
      await hold(app, key);
    }
  };

  test.each([1, 2, 4, 5])(
    "also holds the keys that were used since then, %i at a time",
    async (numItems) => {
      const app = start();
      await useAll(app, ["b", "d"]);
      const pages: Page[] = [];
      await allPages(async (cursor) => {
        const found = await page(app, { numItems, cursor });
        const endCursor = found.continueCursor;
        pages.push({ numItems, cursor, endCursor });
        return found;
      });
      await useAll(app, ["a", "c", "e"]);
      const listed: unknown[] = [];
      for (const opts of pages) listed.push(...(await page(app, opts)).page);
      const names = ["free", "message", "job"];
      expect(listed).toMatchObject(
        names.flatMap((name) =>
          ["a", "b", "c", "d", "e"].map((key) => ({ name, key })),
        ),
      );
    },
  );
});

describe("the names of limits in use", () => {
  const names = ({ t }: App, known: string[] = []) =>
    t.query((ctx) =>
      ctx.runQuery(components.rateLimiter.operators.names, { known }),
    );
  const use = ({ mutate, limiter }: App, all: string[]) =>
    mutate(async (ctx) => {
      for (const name of all) {
        for (const key of ["a", "b", undefined]) {
          await limiter.limit(ctx, name, { key, config: ten });
        }
      }
    });

  test("are returned once each from all stores, without the known ones", async () => {
    const app = start();
    await use(app, ["", "message", "plan", "zone"]);
    await hold(app, "a");
    expect(await names(app, ["message", "unused"])).toEqual({
      names: ["", "job", "plan", "zone"],
      isMore: false,
    });
  });

  test("are in the order of the index, not in that of JavaScript", async () => {
    const app = start();
    await use(app, ["\u{1f600}", "a", "\uff5e"]);
    const all = ["a", "\uff5e", "\u{1f600}"];
    expect(await names(app)).toEqual({ names: all, isMore: false });
  });

  test("are at most 50 beside the known ones", async () => {
    const transactionLimits = { documentsRead: 1000 };
    const app = startApp(limits, { transactionLimits });
    const all = Array.from({ length: 60 }, (_, i) => `plan ${i + 10}`);
    await use(app, all);
    expect(await names(app)).toEqual({
      names: all.slice(0, 50),
      isMore: true,
    });
    expect(await names(app, all.slice(5, 20))).toEqual({
      names: [...all.slice(0, 5), ...all.slice(20)],
      isMore: false,
    });
    const unused = ["a", "b", "c"];
    expect(await names(app, [...unused, ...all.slice(50)])).toEqual({
      names: all.slice(0, 50),
      isMore: false,
    });
  });

  test("are at most 50 of all stores together", async () => {
    const app = start();
    const all = Array.from({ length: 52 }, (_, i) => `plan ${i + 10}`);
    await use(app, all.slice(0, 40));
    const config = { kind: "concurrency", capacity: 1, lease: MINUTE } as const;
    await app.mutate(async (ctx) => {
      for (const name of all.slice(40)) {
        await app.limiter.hold(ctx, name, { config });
      }
    });
    expect(await names(app)).toEqual({ names: all.slice(0, 50), isMore: true });
  });
});

describe("leases", () => {
  const leases = ({ t }: App, key?: string) =>
    t.query((ctx) =>
      ctx.runQuery(components.rateLimiter.operators.leases, {
        name: "job",
        key,
      }),
    );

  test("are listed with when they were taken and when they end", async () => {
    const app = start();
    const { id } = await hold(app, "ada");
    const [since, renewed] = [MIDNIGHT + MINUTE, MIDNIGHT + 2 * MINUTE];
    vi.setSystemTime(since);
    const second = await hold(app, "ada", 2);
    await hold(app, "bob");
    await hold(app, undefined);
    vi.setSystemTime(renewed);
    await app.renew(id!);
    const { leases: told, isMore } = await leases(app, "ada");
    expect(isMore).toBe(false);
    expect(
      told.map((lease) => ({ ...lease, since: Math.floor(lease.since) })),
    ).toEqual([
      { id: second.id, count: 2, since, endsAt: since + HOUR },
      { id, count: 1, since: MIDNIGHT, endsAt: renewed + HOUR },
    ]);
    vi.setSystemTime(since + HOUR);
    expect(await leases(app, "ada")).toMatchObject({ leases: [{ id }] });
    expect((await leases(app)).leases).toEqual([]);
  });

  test("of an unlimited key hold nothing, and other holds are not listed", async () => {
    const app = start();
    await app.mutate(async (ctx) => {
      const { limiter } = app;
      await limiter.setOverride(ctx, "job", { key: "ada", unlimited: true });
      await limiter.hold(ctx, "job", { key: "ada" });
      const before = startApp({ job: ten }).limiter;
      await before.hold(ctx, "job", { key: "ada" });
    });
    expect((await leases(app, "ada")).leases).toMatchObject([{ count: 0 }]);
  });

  test.each([
    [100, false],
    [101, true],
  ])("are listed up to 100; of %i, isMore is %s", async (n, isMore) => {
    const app = start();
    await inComponent(app.t, async ({ db }) => {
      const expiresAt = MIDNIGHT + HOUR;
      const lease = { name: "job", config: job, taken: 1, expiresAt };
      for (let i = 0; i < n; i++) await db.insert("holds", lease);
    });
    const told = await leases(app);
    expect([told.leases.length, told.isMore]).toEqual([100, isMore]);
  });
});

test("leases are not listed once their limit is of another kind", async () => {
  const before = start();
  await hold(before, "ada");
  const app = deployed(before.t, { ...limits, job: ten });
  expect(await listAll(app)).toEqual([]);
  expect(await listAll(app, { name: "job" })).toEqual([]);
});

describe("a limit that the constructor does not name", () => {
  const use = (app: App, config: RateLimitConfig, count: number) =>
    app.limit("inline", { config, count });

  test("is listed as it was stored", async () => {
    const app = start();
    await use(app, window(5), 2);
    const [listed] = await listAll(app);
    expect(listed).toMatchObject({ name: "inline", balance: 3 });
    expect(listed).not.toHaveProperty("capacity");
  });

  test("of concurrency is listed by the config of its newest lease", async () => {
    const app = start();
    for (const capacity of [2, 5]) {
      await app.mutate((ctx) =>
        app.limiter.hold(ctx, "run", {
          key: "ada",
          // The newer lease ends first.
          config: { ...job, capacity, lease: HOUR / capacity },
        }),
      );
    }
    expect(await listAll(app, { name: "run" })).toMatchObject([
      { key: "ada", balance: 3, capacity: 5, limited: false },
    ]);
    expect(await listAll(app, { name: "runs" })).toEqual([]);
    vi.setSystemTime(MIDNIGHT + HOUR);
    expect(await listAll(app, { name: "run" })).toEqual([]);
  });

  test.each([
    [9, false],
    [9 + 1e-9, false],
    [9.5, true],
    [10, true],
  ])(
    "with %d of 10 tokens taken is listed with limited: %s",
    async (count, limited) => {
      const app = start();
      await use(app, ten, count);
      expect(await listAll(app)).toMatchObject([{ limited }]);
    },
  );
});

test.each<[string, LimitConfig, object[]]>([
  ["rows", ten, [{ name: "inline", balance: 6 }]],
  ["leases, of which there are none", job, []],
])(
  "a limit that changed its kind is listed by what its config says: its %s",
  async (_claim, config, expected) => {
    const app = start();
    await app.limit("inline", { config: ten, count: 4 });
    const known = startApp({ inline: config });
    expect(await listAll({ ...known, t: app.t })).toMatchObject(expected);
  },
);

describe.each(modesOf(ten))("in %s", (_mode, config) => {
  test("list omits a key that was reset or cleared, even if its config is not known", async () => {
    const app = start();
    const request = { config, count: 3 };
    await app.limit("inline", request);
    await app.reset("inline", { config });
    expect(await listAll(app)).toEqual([]);
    await app.limit("inline", request);
    vi.setSystemTime(Date.now() + 1);
    await app.mutate((ctx) =>
      ctx.runMutation(components.rateLimiter.lib.clearAll, {}),
    );
    expect(await listAll(app)).toEqual([]);
    expect(await listAll(app, { order: "depleted" })).toEqual([]);
    await app.limit("inline", request);
    expect(await listAll(app)).toMatchObject([{ balance: 7 }]);
  });

  test.each(["key", "depleted"] as const)(
    "list with order %s and the vacuum drop a key that has been full for an hour",
    async (order) => {
      const app = start();
      await app.limit("inline", { config, count: 10 });
      const fullAt = MIDNIGHT + MINUTE;
      vi.setSystemTime(fullAt + HOUR - 1);
      await runVacuum(app.t);
      expect(await listAll(app, { order })).toHaveLength(1);
      vi.setSystemTime(fullAt + HOUR);
      expect(await listAll(app, { order })).toEqual([]);
      await runVacuum(app.t);
      expect(await storedRows(app.t)).toEqual([]);
    },
  );
});
