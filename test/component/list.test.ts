import {
  calculateRateLimit,
  HOUR,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
  type RateLimitListOptions,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  useStillClock,
  type Host,
  type HostCtx,
  allPages,
} from "../host.js";

useStillClock();

const limits = {
  message: { kind: "token bucket", rate: 10, period: MINUTE, overrides: true },
  split: { kind: "token bucket", rate: 60, period: HOUR, shards: 6 },
  window: { kind: "fixed window", rate: 5, period: HOUR, start: 0 },
  splitWindow: {
    kind: "fixed window",
    rate: 50,
    period: HOUR,
    start: 0,
    shards: 5,
  },
} as const;

const limiter = new RateLimiter(components.rateLimiter, limits);

const take = (
  t: Host,
  name: keyof typeof limits,
  key: string | undefined,
  count = 1,
) => t.mutation((ctx) => limiter.limit(ctx, name, { key, count }));

/** All pages of so many rows each. */
async function listAll(
  t: Host,
  options: Omit<RateLimitListOptions, "paginationOpts"> = {},
  numItems = 3,
  of: Pick<RateLimiter, "list"> = limiter,
) {
  return allPages((cursor) =>
    t.query((ctx) =>
      of.list(ctx, { ...options, paginationOpts: { numItems, cursor } }),
    ),
  );
}

test("nothing is listed before anything is used", async () => {
  expect(await listAll(startHost())).toEqual([]);
});

test("a key: its balance now, its capacity, when it was used, and whether it is limited", async () => {
  const t = startHost();
  await take(t, "message", "anna", 10);
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
  expect(await listAll(t)).toEqual([anna]);
  vi.setSystemTime(MIDNIGHT + 6_000);
  expect(await listAll(t)).toEqual([
    { ...anna, balance: 1, shards: [1], limited: false },
  ]);
});

test("a fixed window tells when it was used, in one row and in several", async () => {
  const t = startHost();
  vi.setSystemTime(MIDNIGHT + 25 * MINUTE);
  await take(t, "window", "anna");
  await take(t, "splitWindow", "anna");
  expect(await listAll(t)).toMatchObject([
    { name: "splitWindow", usedAt: MIDNIGHT + 25 * MINUTE },
    { name: "window", usedAt: MIDNIGHT + 25 * MINUTE },
  ]);
});

describe.each([1, 2, 5, 100])("in pages of %i rows", (numItems) => {
  test("each key comes once, by name and key, however many rows it has", async () => {
    const t = startHost();
    for (const key of ["b", "a", "c"]) await take(t, "split", key, 55);
    for (const key of ["y", "x"]) await take(t, "message", key);
    await take(t, "split", undefined, 60);
    const listed = await listAll(t, {}, numItems);
    expect(listed.map(({ name, key }) => [name, key])).toEqual([
      ["message", "x"],
      ["message", "y"],
      ["split", undefined],
      ["split", "a"],
      ["split", "b"],
      ["split", "c"],
    ]);
    expect(listed.map(({ balance }) => balance)).toEqual([
      9,
      9,
      expect.closeTo(0, 9),
      ...Array.from({ length: 3 }, () => expect.closeTo(5, 9) as number),
    ]);
  });

  test("the one that takes longest to be full again first, each key once", async () => {
    const t = startHost();
    for (const [key, count] of [
      ["little", 2],
      ["most", 10],
      ["half", 5],
    ] as const) {
      await take(t, "message", key, count);
    }
    // An emptied row is what counts: it takes as long as if all were empty.
    await take(t, "split", "one row", 10);
    await take(t, "split", "all rows", 60);
    const order = "depleted";
    const ofMessage = await listAll(t, { order, name: "message" }, numItems);
    const keys = ofMessage.map(({ key }) => key);
    expect(keys).toEqual(["most", "half", "little"]);
    const all = await listAll(t, { order }, numItems);
    expect(all.slice(0, 2).map(({ key }) => key)).toEqual(
      expect.arrayContaining(["one row", "all rows"]),
    );
    expect(all.slice(2).map(({ key }) => key)).toEqual(keys);
  });
});

describe("a split key comes by the row that takes longest to be full", () => {
  const order = async (...rows: [key: string, shard: number, ms: number][]) => {
    const t = startHost();
    await inComponent(t, async ({ db }) => {
      for (const [key, shard, ms] of rows) {
        const state = { value: 0, ts: MIDNIGHT, fullAt: MIDNIGHT + ms };
        await db.insert("rateLimits", { name: "split", key, shard, ...state });
      }
    });
    const listed = await listAll(t, { order: "depleted" }, 1);
    return listed.map(({ key }) => key);
  };

  test.each([
    ["the last of them", [10, 50]],
    ["the first of them", [50, 10]],
  ])("%s", async (_claim, [first, second]) => {
    expect(
      await order(["a", 0, first!], ["b", 0, 30], ["a", 1, second!]),
    ).toEqual(["a", "b"]);
    expect(
      await order(["a", 0, first!], ["b", 0, 70], ["a", 1, second!]),
    ).toEqual(["b", "a"]);
  });

  test("of rows that are full at one time, the one that was stored last", async () => {
    expect(await order(["a", 0, 10], ["b", 0, 10], ["a", 1, 10])).toEqual([
      "a",
      "b",
    ]);
  });
});

test("the override of a key shows, and decides whether it is limited", async () => {
  const t = startHost();
  for (const key of ["banned", "rich", "vip"]) {
    await take(t, "message", key, 10);
  }
  await t.mutation(async (ctx) => {
    await limiter.setOverride(ctx, "message", { key: "banned", deny: true });
    await limiter.setOverride(ctx, "message", {
      key: "rich",
      config: { capacity: 100 },
    });
    await limiter.setOverride(ctx, "message", { key: "vip", unlimited: true });
  });
  vi.setSystemTime(MIDNIGHT + 30_000);
  expect(await listAll(t)).toMatchObject([
    { key: "banned", limited: true, override: { deny: true } },
    { key: "rich", capacity: 100, override: { config: { capacity: 100 } } },
    { key: "vip", limited: false, override: { unlimited: true } },
  ]);
});

test("a dry run limits nobody, however empty it is and whom it bans", async () => {
  const dry = new RateLimiter(components.rateLimiter, {
    bucket: { ...limits.message, enforce: false },
    place: {
      kind: "concurrency",
      capacity: 1,
      lease: MINUTE,
      enforce: false,
    },
  });
  const t = startHost();
  await t.mutation(async (ctx) => {
    await dry.limit(ctx, "bucket", { key: "anna", count: 10 });
    await dry.limit(ctx, "bucket", { key: "bob" });
    await dry.setOverride(ctx, "bucket", { key: "bob", deny: true });
    await dry.hold(ctx, "place", { key: "anna" });
  });
  expect(await listAll(t, {}, 3, dry)).toMatchObject([
    { key: "anna", balance: 0, limited: false },
    { key: "bob", limited: false },
    { name: "place", balance: 0, limited: false },
  ]);
});

test("a limit that the constructor does not name is listed as it was stored", async () => {
  const t = startHost();
  await t.mutation((ctx) =>
    limiter.limit(ctx, "inline", { config: limits.window, count: 2 }),
  );
  const [listed] = await listAll(t);
  expect(listed).toMatchObject({ name: "inline", balance: 3, limited: false });
  expect(listed).not.toHaveProperty("capacity");
});

test("rows of before the swap, which tell no depletion, are listed last by it", async () => {
  const t = startHost();
  await inComponent(t, ({ db }) =>
    db.insert("rateLimits", {
      name: "message",
      key: "old",
      shard: 0,
      value: 1,
      ts: MIDNIGHT - 6_000,
    }),
  );
  await take(t, "message", "new");
  const old = { key: "old", balance: 2 };
  expect(await listAll(t)).toMatchObject([{ key: "new" }, old]);
  for (const name of [undefined, "message"] as const) {
    const listed = await listAll(t, { order: "depleted", name });
    expect(listed).toMatchObject([{ key: "new" }, old]);
  }
});

test.each([0, -1, 1.5, NaN])(
  "a page of %d items is refused",
  async (numItems) => {
    const t = startHost();
    const paginationOpts = { numItems, cursor: null };
    for (const list of [
      (ctx: HostCtx) => limiter.list(ctx, { paginationOpts }),
      (ctx: HostCtx) => limiter.listOverrides(ctx, { paginationOpts }),
    ]) {
      await expect(t.mutation(list)).rejects.toThrow(
        `paginationOpts.numItems must be a whole number of at least 1, but is ${numItems}.`,
      );
    }
  },
);

test.each([
  ...["x", "0:x", "0:{}", "0:[1]", '0:[{"$a":1},"b",0,0,""]', "1:7"],
  ...["2:[1]", "[1]", '["a","b",0,{"$c":1}]', "[1,2,3,4,5,6]"],
])("a cursor that is none is InvalidCursor: %s", async (cursor) => {
  const t = startHost();
  for (const order of ["key", "depleted"] as const) {
    const paginationOpts = { numItems: 1, cursor };
    const list = t.query((ctx) => limiter.list(ctx, { order, paginationOpts }));
    await expect(list).rejects.toThrow("InvalidCursor");
  }
  const paginationOpts = { numItems: 1, cursor };
  await expect(
    t.query((ctx) => limiter.listOverrides(ctx, { paginationOpts })),
  ).rejects.toThrow("InvalidCursor");
});

test("a cursor of another order is InvalidCursor", async () => {
  const t = startHost();
  await take(t, "message", "a");
  const list = (
    options: Partial<RateLimitListOptions>,
    cursor: string | null,
  ) =>
    t.query((ctx) =>
      limiter.list(ctx, {
        ...options,
        paginationOpts: { numItems: 1, cursor },
      }),
    );
  const orders = [
    {},
    { order: "depleted" },
    { order: "depleted", name: "message" },
  ] as const;
  for (const order of orders) {
    const { continueCursor } = await list(order, null);
    for (const other of orders) {
      const page = list(other, continueCursor);
      if (other === order) await page;
      else await expect(page).rejects.toThrow("InvalidCursor");
    }
  }
});

test("a page reads each key's rows once, however many of them are on it", async () => {
  const t = startHost();
  await take(t, "split", "a", 60);
  const read = await t.query(async (ctx) => {
    const paginationOpts = { numItems: 100, cursor: null };
    await limiter.list(ctx, { name: "split", paginationOpts });
    return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
  });
  expect(read).toBe(12);
});

describe("a page read again up to where it ended, as a subscription does", () => {
  const async = { applyUpdates: "asynchronously" } as const;
  const mixed = {
    rows: limits.message,
    free: { kind: "token bucket", rate: 10, period: MINUTE, ...async },
    job: { kind: "concurrency", capacity: 3, lease: HOUR },
  } as const;
  const operator = new RateLimiter(components.rateLimiter, mixed);

  const useAll = (t: Host, key: string) =>
    t.mutation(async (ctx) => {
      await operator.limit(ctx, "rows", { key });
      await operator.limit(ctx, "free", { key });
      await operator.hold(ctx, "job", { key });
    });

  const reader =
    (t: Host, order: "key" | "depleted", numItems: number) =>
    (cursor: string | null, endCursor?: string) =>
      t.query((ctx) =>
        operator.list(ctx, {
          order,
          paginationOpts: {
            numItems,
            cursor,
            ...(endCursor !== undefined && { endCursor }),
          },
        }),
      );

  test.each([
    ["key", 1],
    ["key", 2],
    ["key", 4],
    ["depleted", 1],
    ["depleted", 2],
    ["depleted", 4],
  ] as const)(
    "is the same page, by %s, %i at a time",
    async (order, numItems) => {
      const t = startHost();
      for (const key of ["a", "b", "c"]) await useAll(t, key);
      const read = reader(t, order, numItems);
      let all = 0;
      let next: string | null = null;
      for (let pages = 0; pages < 20; pages++) {
        const first: Awaited<ReturnType<typeof read>> = await read(next);
        const again = await read(next, first.continueCursor);
        expect(again).toEqual(first);
        expect(first.page.length).toBeLessThanOrEqual(numItems);
        all += first.page.length;
        if (first.isDone) break;
        next = first.continueCursor;
      }
      expect(all).toBe(9);
    },
  );

  test.each([1, 2, 4, 5])(
    "holds what was used since, so that no key is missing, %i at a time",
    async (numItems) => {
      const t = startHost();
      for (const key of ["b", "d"]) await useAll(t, key);
      const read = reader(t, "key", numItems);
      const ends: [string | null, string][] = [];
      for (let cursor: string | null = null, isDone = false; !isDone;) {
        const found: Awaited<ReturnType<typeof read>> = await read(cursor);
        ends.push([cursor, found.continueCursor]);
        ({ isDone, continueCursor: cursor } = found);
      }
      for (const key of ["a", "c", "e"]) await useAll(t, key);
      const listed: unknown[] = [];
      for (const [cursor, end] of ends) {
        const { page } = await read(cursor, end);
        listed.push(...page.map(({ name, key }) => name + " " + key));
      }
      expect(listed).toEqual(
        ["rows", "free", "job"].flatMap((name) =>
          ["a", "b", "c", "d", "e"].map((key) => name + " " + key),
        ),
      );
    },
  );
});

test("such a page holds what has come since", async () => {
  const free = { ...limits.message, applyUpdates: "asynchronously" } as const;
  const operator = new RateLimiter(components.rateLimiter, { free });
  for (const order of ["key", "depleted"] as const) {
    const t = startHost();
    const use = (key: string) =>
      t.mutation((ctx) => operator.limit(ctx, "free", { key }));
    const read = (numItems: number, endCursor: string | null) =>
      t.query((ctx) =>
        operator.list(ctx, {
          order,
          paginationOpts: { numItems, cursor: null, endCursor },
        }),
      );
    for (const key of ["a", "c", "d"]) await use(key);
    const first = await read(2, null);
    const [one, two] = first.page.map(({ key }) => key);
    await use(order === "key" ? "b" : "e");
    const again = await read(2, first.continueCursor);
    expect(again.page.map(({ key }) => key)).toEqual(
      order === "key" ? [one, "b", two] : ["e", one, two],
    );
  }
});

test("the page of the last key is the last, where nothing runs at once", async () => {
  const t = startHost();
  await take(t, "message", "a");
  const { page, isDone } = await t.query((ctx) =>
    limiter.list(ctx, { paginationOpts: { numItems: 5, cursor: null } }),
  );
  expect(page).toHaveLength(1);
  expect(isDone).toBe(true);
});

test("a limit on what runs at once is not listed for what it stored as another kind", async () => {
  const t = startHost();
  await take(t, "message", "a");
  const changed = new RateLimiter(components.rateLimiter, {
    message: { kind: "concurrency", capacity: 3, lease: HOUR },
  });
  const { page } = await t.query((ctx) =>
    changed.list(ctx, { paginationOpts: { numItems: 5, cursor: null } }),
  );
  expect(page).toEqual([]);
});

test("a split key was used when the last of its rows was", async () => {
  const t = startHost();
  await inComponent(t, async ({ db }) => {
    for (const [shard, ts] of [
      MIDNIGHT,
      MIDNIGHT + 5,
      MIDNIGHT + 2,
    ].entries()) {
      const state = { value: 1, ts, fullAt: MIDNIGHT + HOUR };
      await db.insert("rateLimits", { name: "split", shard, ...state });
    }
  });
  expect(await listAll(t)).toMatchObject([{ usedAt: MIDNIGHT + 5 }]);
});

describe("the names of limits in use", () => {
  const names = (t: Host, known: string[] = []) =>
    t.query((ctx) =>
      ctx.runQuery(components.rateLimiter.list.names, { known }),
    );
  const bucket = { kind: "token bucket", rate: 10, period: HOUR } as const;
  const place = { kind: "concurrency", capacity: 2, lease: MINUTE } as const;
  const use = (t: Host, all: string[], config: RateLimitConfig = bucket) =>
    t.mutation(async (ctx) => {
      for (const name of all) {
        for (const key of ["a", "b", undefined]) {
          await limiter.limit(ctx, name, { key, config });
        }
      }
    });

  test("are told once each, whatever they are stored in, without the known ones", async () => {
    const t = startHost();
    await use(t, ["", "message", "plan", "zone"]);
    const appended = { ...bucket, applyUpdates: "asynchronously" } as const;
    await use(t, ["llm", "plan"], appended);
    await t.mutation((ctx) =>
      limiter.hold(ctx, "run", { key: "a", config: place }),
    );
    expect(await names(t, ["message", "unused"])).toEqual({
      names: ["", "llm", "plan", "run", "zone"],
      isMore: false,
    });
  });

  test("come in the order of the index, where it is not that of JavaScript", async () => {
    const t = startHost();
    const inOrder = ["a", "\uff5e", "\u{1f600}"];
    await use(t, [...inOrder].reverse());
    expect(await names(t)).toEqual({ names: inOrder, isMore: false });
  });

  test("are at most 50 beside the known ones, and of each at most three rows are read", async () => {
    const t = startHost({ transactionLimits: { documentsRead: 1000 } });
    const all = Array.from({ length: 60 }, (_, i) => `plan ${i + 10}`);
    await use(t, all);
    expect(await names(t)).toEqual({
      names: all.slice(0, 50),
      isMore: true,
    });
    expect(await names(t, all.slice(5, 20))).toEqual({
      names: [...all.slice(0, 5), ...all.slice(20)],
      isMore: false,
    });
  });
});

describe("leases", () => {
  const jobs = new RateLimiter(components.rateLimiter, {
    job: { kind: "concurrency", capacity: 200, lease: HOUR, overrides: true },
  });
  const leases = (t: Host, key?: string) =>
    t.query((ctx) =>
      ctx.runQuery(components.rateLimiter.list.leases, { name: "job", key }),
    );
  const hold = (t: Host, key: string | undefined, count = 1) =>
    t.mutation((ctx) => jobs.hold(ctx, "job", { key, count }));

  test("tell since when they are held, renewed or not, and when they end", async () => {
    const t = startHost();
    const { id } = await hold(t, "ada");
    vi.setSystemTime(MIDNIGHT + MINUTE);
    const second = await hold(t, "ada", 2);
    await hold(t, "bob");
    await hold(t, undefined);
    vi.setSystemTime(MIDNIGHT + 2 * MINUTE);
    await t.mutation((ctx) => jobs.renew(ctx, id!));
    const { leases: told, isMore } = await leases(t, "ada");
    expect(isMore).toBe(false);
    expect(
      told.map((lease) => ({ ...lease, since: Math.floor(lease.since) })),
    ).toEqual([
      {
        id: second.id,
        count: 2,
        since: MIDNIGHT + MINUTE,
        endsAt: MIDNIGHT + MINUTE + HOUR,
      },
      {
        id,
        count: 1,
        since: MIDNIGHT,
        endsAt: MIDNIGHT + 2 * MINUTE + HOUR,
      },
    ]);
    vi.setSystemTime(MIDNIGHT + MINUTE + HOUR);
    expect((await leases(t, "ada")).leases.map(({ id }) => id)).toEqual([id]);
    expect((await leases(t)).leases).toEqual([]);
  });

  test("of an unlimited key hold nothing, and estimates are no leases", async () => {
    const t = startHost();
    await t.mutation((ctx) =>
      jobs.setOverride(ctx, "job", { key: "ada", unlimited: true }),
    );
    await hold(t, "ada");
    const config = { kind: "token bucket", rate: 9, period: HOUR } as const;
    const before = new RateLimiter(components.rateLimiter, { job: config });
    await t.mutation((ctx) => before.hold(ctx, "job", { key: "ada" }));
    expect((await leases(t, "ada")).leases).toMatchObject([{ count: 0 }]);
  });

  test("are listed up to 100", async () => {
    const t = startHost();
    for (let i = 0; i < 101; i++) await hold(t, "ada");
    const told = await leases(t, "ada");
    expect([told.leases.length, told.isMore]).toEqual([100, true]);
  });
});

describe("a limit that the constructor does not name", () => {
  test("on what runs at once is listed by the config of its newest lease", async () => {
    const t = startHost();
    const hold = (capacity: number) =>
      t.mutation((ctx) =>
        limiter.hold(ctx, "run", {
          key: "ada",
          config: { kind: "concurrency", capacity, lease: HOUR },
        }),
      );
    await hold(2);
    await hold(5);
    expect(await listAll(t, { name: "run" })).toMatchObject([
      { key: "ada", balance: 3, capacity: 5, limited: false },
    ]);
    expect(await listAll(t, { name: "runs" })).toEqual([]);
    vi.setSystemTime(MIDNIGHT + HOUR);
    expect(await listAll(t, { name: "run" })).toEqual([]);
  });

  const unknown = { kind: "token bucket", rate: 10, period: HOUR } as const;
  const appended = { ...unknown, applyUpdates: "asynchronously" } as const;
  const use = (t: Host, config: RateLimitConfig, count: number) =>
    t.mutation((ctx) => limiter.limit(ctx, "inline", { config, count }));

  test("is limited when it has stored less than a token", async () => {
    for (const [count, limited] of [
      [9, false],
      [9 + 1e-9, false],
      [9.5, true],
      [10, true],
    ] as const) {
      const t = startHost();
      await use(t, unknown, count);
      expect(await listAll(t)).toMatchObject([{ limited }]);
    }
  });

  test("was used when the last of its rows was", async () => {
    const t = startHost();
    for (const [shard, ts] of [MIDNIGHT - 5, MIDNIGHT, MIDNIGHT - 9].entries())
      await inComponent(t, ({ db }) =>
        db.insert("rateLimits", { name: "inline", shard, value: 1, ts }),
      );
    expect(await listAll(t)).toMatchObject([
      { usedAt: MIDNIGHT, shards: [1, 1, 1], balance: 3 },
    ]);
  });

  test("is listed once, as it was used last: in rows, or by debits", async () => {
    for (const [first, second, balance] of [
      [unknown, appended, 4],
      [appended, unknown, 7],
    ] as const) {
      const t = startHost();
      await use(t, first, 3);
      vi.setSystemTime(Date.now() + 1);
      await use(t, second, 3);
      const listed = await listAll(t);
      expect(listed).toHaveLength(1);
      expect(listed[0]!.balance).toBeCloseTo(balance, 3);
      expect(listed[0]!.usedAt).toBe(Date.now());
    }
  });
});

test.each(["transactionally", "asynchronously"] as const)(
  "a key that was made full is not in use, also if its config is not known: %s",
  async (applyUpdates) => {
    const config = {
      kind: "token bucket",
      rate: 10,
      period: HOUR,
      applyUpdates,
    } as const;
    const t = startHost();
    const use = () =>
      t.mutation((ctx) => limiter.limit(ctx, "inline", { config, count: 3 }));
    await use();
    await t.mutation((ctx) => limiter.reset(ctx, "inline", { config }));
    expect(await listAll(t)).toEqual([]);
    await use();
    vi.setSystemTime(Date.now() + 1);
    await t.mutation((ctx) =>
      ctx.runMutation(components.rateLimiter.lib.clearAll, {}),
    );
    expect(await listAll(t)).toEqual([]);
    expect(await listAll(t, { order: "depleted" })).toEqual([]);
    await use();
    expect(await listAll(t)).toMatchObject([{ balance: 7 }]);
  },
);

test("a key is listed with the balance that calls decide on, also if some of its rows have long been full", async () => {
  const config = {
    kind: "token bucket",
    rate: 15,
    period: HOUR,
    capacity: 400,
    shards: 2,
    overrides: true,
  } as const;
  const raised = new RateLimiter(components.rateLimiter, { raised: config });
  const t = startHost();
  await t.mutation(async (ctx) => {
    await raised.limit(ctx, "raised", { count: 200 });
    await raised.limit(ctx, "raised", { count: 1 });
  });
  vi.setSystemTime(MIDNIGHT + 3 * HOUR);
  await t.mutation((ctx) =>
    raised.setOverride(ctx, "raised", { config: { capacity: 800 } }),
  );
  const shown = await t.query((ctx) => raised.getValue(ctx, "raised"));
  const { value } = calculateRateLimit(shown, shown.config, Date.now());
  expect(value).toBe(199 + 3 * 15);
  expect(await listAll(t, {}, 3, raised)).toMatchObject([{ balance: value }]);
});

test("a key that has been full for an hour is listed, and 1 ms later is not", async () => {
  for (const applyUpdates of ["transactionally", "asynchronously"] as const) {
    const t = startHost();
    vi.setSystemTime(MIDNIGHT);
    const { kind, rate, period } = limits.message;
    const config = { kind, rate, period, applyUpdates };
    await t.mutation((ctx) => limiter.limit(ctx, "inline", { config }));
    const fullAt = MIDNIGHT + 6_000;
    for (const order of ["key", "depleted"] as const) {
      vi.setSystemTime(fullAt + HOUR);
      expect(await listAll(t, { order })).toHaveLength(1);
      vi.setSystemTime(fullAt + HOUR + 1);
      expect(await listAll(t, { order })).toEqual([]);
    }
  }
});

test("a row with numbers that are none is listed as if it said nothing", async () => {
  const t = startHost();
  await inComponent(t, ({ db }) =>
    db.insert("rateLimits", {
      name: "message",
      key: "broken",
      shard: 0,
      value: NaN,
      ts: MIDNIGHT,
    }),
  );
  expect(await listAll(t)).toMatchObject([{ key: "broken", balance: 10 }]);
});

test("of one limit only, whatever is next to it", async () => {
  const t = startHost();
  const free = {
    kind: "token bucket",
    rate: 10,
    period: HOUR,
    applyUpdates: "asynchronously",
  } as const;
  for (const name of ["f", "free", "g"]) {
    for (const key of [undefined, "a", "b"]) {
      await t.mutation((ctx) =>
        limiter.limit(ctx, name, { key, config: free }),
      );
    }
  }
  for (const order of ["key", "depleted"] as const) {
    const listed = await listAll(t, { name: "free", order }, 2);
    expect(listed.map(({ name }) => name)).toEqual(["free", "free", "free"]);
    const keys = listed.map(({ key }) => key ?? "none");
    expect(keys.sort()).toEqual(["a", "b", "none"]);
  }
});
