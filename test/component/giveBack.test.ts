import { DAY, MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import {
  MIDNIGHT,
  runInternal,
  scheduledJobs,
  storedRows,
  useStillTimers,
  type Host,
} from "../support/host.js";
import {
  dailyBucket,
  hotRow,
  hundredADay,
  RULE,
  ruleOfRate,
  startHot,
  storeHotRows,
  TREE,
} from "../support/splitting.js";
import { deployed } from "../support/startApp.js";

useStillTimers();

/** When calls on the key were last seen to overlap and to take long. */
const LONG = { longAt: MIDNIGHT - MINUTE };
const [ROOT, ...BELOW] = TREE;

/** A key of 100 tokens a day that holds 60 in six rows. */
async function startLong(
  root: object = LONG,
  below: typeof TREE = BELOW,
  config: RateLimitConfig = hundredADay,
) {
  const app = startHot(config);
  await storeHotRows(app.t, [{ ...ROOT!, ...root }, ...below]);
  return app;
}

/** Runs the jobs that give tokens back. */
async function runJobs(t: Host): Promise<void> {
  for (const { name, args } of await scheduledJobs(t)) {
    if (name === "jobs:giveBack") await runInternal(t, name, args[0] as object);
  }
}

describe("where calls overlap and take long, a job gives back", () => {
  test("what is credited", async () => {
    const { t, credit, balance } = await startLong();
    const before = await storedRows(t);
    expect(await credit("hot", { count: 7 })).toEqual({ credited: 7 });
    expect(await storedRows(t)).toEqual(before);
    expect(await balance()).toBe(60);
    await runJobs(t);
    expect(await balance()).toBeCloseTo(67, 9);
  });

  test("what holds do not use", async () => {
    const { t, hold, settle, balance } = await startLong();
    const held = await hold("hot", { count: 4 });
    if (!held.ok) throw new Error("A hold was denied.");
    expect(await settle(held.id, 1)).toEqual({ settled: true });
    expect(await balance()).toBe(56);
    await runJobs(t);
    expect(await balance()).toBe(59);
  });

  // Calls that have read it before must run again anyway.
  test("to the row that was written last, of those with room", async () => {
    const at = (ago: number) => BigInt(MIDNIGHT - ago) * 1_000_000n;
    const rows = [
      hotRow(1, 15, { at: at(300) }),
      hotRow(2, 15, { at: at(100) }),
      hotRow(3, 23, { at: at(50) }),
      hotRow(4, 15, { at: at(200) }),
    ];
    const { t, credit } = await startLong(LONG, rows);
    await credit("hot", { count: 4 });
    await runJobs(t);
    const values = (await storedRows(t)).map(({ value }) => value);
    expect(values).toEqual([80, 15, 19, 23, 15]);
  });

  test("no more than there is room for", async () => {
    const { t, credit, balance } = await startLong();
    await credit("hot", { count: 70 });
    await runJobs(t);
    expect(await balance()).toBe(100);
  });

  test("nothing if the mutation throws", async () => {
    const { t, limiter, mutate } = await startLong();
    const failing = mutate(async (ctx) => {
      await limiter.credit(ctx, "hot", { count: 7 });
      throw new Error("the app's own");
    });
    await expect(failing).rejects.toThrow("the app's own");
    expect(await scheduledJobs(t)).toEqual([]);
  });

  test("without the key in its arguments", async () => {
    const { t, credit } = await startLong();
    await credit("hot", { count: 7 });
    const [job, ...others] = await scheduledJobs(t);
    expect(others).toEqual([]);
    expect(Object.keys(job!.args[0] as object).sort()).toEqual([
      "count",
      "now",
      "root",
    ]);
  });
});

test.each([
  ["was seen two minutes ago", { longAt: MIDNIGHT - 2 * MINUTE }],
  ["was never seen", {}],
  ["was seen before the limit changed", { ...LONG, rule: ruleOfRate(99) }],
])("a credit gives at once if that %s", async (_claim, root) => {
  const { t, credit } = await startLong(root);
  expect(await credit("hot", { count: 7 })).toEqual({ credited: 7 });
  expect(await scheduledJobs(t)).toEqual([]);
});

describe("a job that gives back", () => {
  test("goes by the rule of row 0, whatever the app has deployed", async () => {
    const { t, credit } = await startLong();
    await credit("hot", { count: 70 });
    const { limit, ...now } = deployed(t, {
      hot: { ...dailyBucket(80), shards: "auto" },
    });
    await limit("hot", { count: 10 });
    await runJobs(t);
    const shown = await now.getValue("hot");
    expect(shown.value).toBeCloseTo(80, 9);
  });

  test.each([
    [
      "was reset",
      (app: Awaited<ReturnType<typeof startLong>>) => app.reset("hot"),
    ],
    [
      "has become one row",
      async ({ t }: { t: Host }) => {
        const one = { ...hundredADay, shards: 1 } as const;
        await deployed(t, { hot: one }).limit("hot", { count: 10 });
      },
    ],
  ])("does nothing to a key that %s", async (_claim, change) => {
    const app = await startLong();
    await app.credit("hot", { count: 7 });
    await change(app);
    const before = await storedRows(app.t);
    await runJobs(app.t);
    expect(await storedRows(app.t)).toEqual(before);
  });

  test("forgets no key earlier than what it knew", async () => {
    const fullAt = MIDNIGHT + 9 * DAY;
    const below = BELOW.map((row) => ({ ...row, fullAt }));
    const { t, credit } = await startLong({ ...LONG, fullAt }, below);
    await credit("hot", { count: 1 });
    await runJobs(t);
    for (const row of await storedRows(t)) expect(row.fullAt).toBe(fullAt);
  });

  test("keeps the plan of a key whose rows it gathers", async () => {
    const plan = ruleOfRate(7);
    const owing = [1, 2, 3, 4].map((shard) => hotRow(shard, -5));
    const { t, credit, balance } = await startLong({ ...LONG, plan }, owing);
    await credit("hot", { count: 8 });
    await runJobs(t);
    const [root, ...rows] = await storedRows(t);
    expect(root).toMatchObject({ plan, rule: RULE, value: -12 });
    expect(rows).toEqual([]);
    expect(await balance()).toBe(-12);
  });
});

describe("that calls take long is noted in row 0", () => {
  const at = BigInt(MIDNIGHT - 50) * 1_000_000n;
  const slow = { ts: MIDNIGHT - 150, at, contestedAt: MIDNIGHT - 150 };
  // Each is short of 12 tokens, so a call for these looks at all.
  const rows = [1, 2, 3, 4].map((shard) => hotRow(shard, 10, slow));
  const noted = async (t: Host) => (await storedRows(t))[0]!.longAt;

  test("by a call that looks at the rows and takes tokens", async () => {
    const { t, take } = await startLong({}, rows);
    await take(12);
    expect(await noted(t)).toBe(MIDNIGHT);
  });

  test("and stays when the limit is divided anew", async () => {
    const { t, take } = await startLong({}, rows);
    await take(12);
    await runInternal(t, "jobs:resize", { name: "hot", config: hundredADay });
    expect(await noted(t)).toBe(MIDNIGHT);
  });

  test.each<[string, (app: ReturnType<typeof startHot>) => Promise<unknown>]>([
    ["one that looks at no other row", ({ take }) => take(1)],
    ["a denial", ({ take }) => take(99)],
    ["a credit", ({ credit }) => credit("hot", { count: 30 })],
  ])("but not by %s", async (_claim, call) => {
    const app = await startLong({}, rows);
    await call(app);
    expect(await noted(app.t)).toBeUndefined();
  });
});

describe("a limit whose hot rows hold too little to be split is divided anew", () => {
  const tens = { ...dailyBucket(160), shards: 10 };
  /** A call for ten tokens on rows of 16 each, the last of which another call wrote just before. */
  async function takeTen({ calm = 0, ranMs = 100, config = tens } = {}) {
    const app = startHot(config);
    const ended = BigInt(MIDNIGHT - 10) * 1_000_000n;
    const ran = { ts: MIDNIGHT - 10 - ranMs, at: ended, calm };
    await storeHotRows(app.t, [
      hotRow(0, 160, { into: 10, rule: ruleOfRate(160) }),
      ...Array.from({ length: 10 }, (_, i) => hotRow(i + 1, 16, ran)),
    ]);
    expect(await app.take(10)).toEqual({ ok: true });
    return app;
  }
  const asked = async (t: Host) =>
    (await scheduledJobs(t)).filter(({ name }) => name === "jobs:resize");

  test("among rows of one count each", async () => {
    const { t, balance } = await takeTen();
    const [job, ...others] = await asked(t);
    expect(others).toEqual([]);
    await runInternal(t, "jobs:resize", job!.args[0] as object);
    expect(await storedRows(t)).toMatchObject([{ shard: 0, into: 16 }]);
    expect(await balance()).toBeCloseTo(150, 2);
    await runInternal(t, "jobs:resize", job!.args[0] as object);
    expect(await storedRows(t)).toMatchObject([{ shard: 0, into: 16 }]);
  });

  test.each([
    ["calm", { calm: 4 }],
    ["written by short calls", { ranMs: 99 }],
  ])("but not if they are %s", async (_claim, scene) => {
    const { t } = await takeTen(scene);
    expect(await asked(t)).toEqual([]);
  });
});
