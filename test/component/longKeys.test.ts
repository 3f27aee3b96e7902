import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type Host,
  type HostCtx,
  runVacuum,
  fold,
} from "../support/host.js";
import { verbsOfKey, type Ctx } from "../support/verbsOfKey.js";
import { noteModules } from "../support/noteJob.js";
import { listAll, listedOverrides } from "../support/startApp.js";

useStillTimers();

const plan = { kind: "token bucket", rate: 4, period: MINUTE } as const;
const limiter = new RateLimiter(components.rateLimiter, {
  message: { ...plan, overrides: true, stats: true },
  render: { kind: "concurrency", capacity: 4, lease: MINUTE },
});

/** 1,024 bytes in UTF-8, though only 342 characters. */
const LONGEST = `${"限".repeat(341)}k`;
const TOO_LONG = `${LONGEST}k`;
const later = () => MIDNIGHT + HOUR;

type Verb = (ctx: HostCtx, key: string) => Promise<unknown>;

const checked: [string, Verb][] = Object.entries(verbsOfKey)
  // These accept a key that is too long, so that what is stored with it can be removed.
  .filter(([name]) => !/^(reset|whileHolding)/.test(name))
  .map(([name, verb]) => [
    name,
    (ctx, key) => verb(limiter, ctx as HostCtx & Ctx, { key }),
  ]);

const others: Record<string, Verb> = {
  setOverride: (ctx, key) =>
    limiter.setOverride(ctx, "message", {
      key,
      deny: true,
      expiresAt: later(),
    }),
  penalize: (ctx, key) =>
    limiter.penalize(ctx, "message", { key, bans: [HOUR], forgetAfter: HOUR }),
};

const TABLES = ["rateLimits", "overrides", "holds", "events"] as const;

/** The tables in which the component has stored something. */
const stored = (t: Host) =>
  inComponent(t, async (ctx) => {
    const rows = TABLES.map((table) => ctx.db.query(table).first());
    const found = await Promise.all(rows);
    return TABLES.filter((_, i) => found[i] !== null);
  });

const finish = (t: Host) => t.finishAllScheduledFunctions(vi.runAllTimers);

const clear = (t: Host) =>
  t.mutation((ctx) => ctx.runMutation(components.rateLimiter.lib.clearAll, {}));

/** Runs the vacuum when all is idle, and then what the vacuum schedules. */
async function vacuum(t: Host): Promise<void> {
  vi.useFakeTimers({ now: MIDNIGHT + 3 * HOUR });
  await runVacuum(t);
  await finish(t);
}

/** So many bytes that a transaction may read them only a few times. */
const HUGE = 950_000;

describe.each([...checked, ...Object.entries(others)])("%s", (_, verb) => {
  test("accepts a key of 1,024 bytes, and refuses a longer one without storing it", async () => {
    const t = startHost({ modules: noteModules });
    const error = await t
      .mutation((ctx) => verb(ctx, TOO_LONG))
      .catch((error: Error) => error.message);
    expect(error).toMatch(/Rate limit (message|render): /);
    expect(error).toContain(
      "key must be at most 1024 bytes long in UTF-8, but has 1025",
    );
    expect(error).not.toContain("限限限");
    // Even if the host catches the error, nothing is stored.
    await t.mutation(
      async (ctx) => void (await verb(ctx, TOO_LONG).catch(() => 0)),
    );
    expect(await stored(t)).toEqual([]);
    await t.mutation((ctx) => verb(ctx, LONGEST));
  });
});

test("a note has at most 1,024 bytes", async () => {
  const t = startHost();
  const set = (note: string) =>
    t.mutation((ctx) =>
      limiter.setOverride(ctx, "message", { key: "k", unlimited: true, note }),
    );
  await set(LONGEST);
  await expect(set(TOO_LONG)).rejects.toThrow(
    "Rate limit message: note must be at most 1024 bytes long in UTF-8, but has 1025",
  );
});

describe("what is stored with more long keys than one transaction can read", () => {
  // `list` reads each row twice. With two tables, that is more than one transaction may read.
  const keys = Array.from({ length: 3 }, (_, i) => `${i} `.padEnd(HUGE, "x"));

  /** A host with three keys of 950 kB in each table. */
  async function start(): Promise<Host> {
    const t = startHost({ transactionLimits: true });
    for (const key of keys) {
      const name = "message";
      const fullAt = MIDNIGHT + MINUTE;
      const state = { key, value: 0, ts: MIDNIGHT, fullAt };
      const counts = { granted: 1, denied: 1, tokens: 1 };
      await inComponent(t, async ({ db }) => {
        const event = { name, key, at: db.vars.commitTs, time: MIDNIGHT };
        await db.insert("rateLimits", { name, shard: 0, ...state });
        await db.insert("events", { ...event, ...counts });
      });
      await inComponent(t, async ({ db }) => {
        const times = { startsAt: MIDNIGHT, expiresAt: fullAt };
        const ban = { layer: 1, override: { deny: true } } as const;
        await db.insert("overrides", { name, key, ...ban, ...times });
      });
      await inComponent(t, (ctx) =>
        ctx.db.insert("holds", {
          name: "render",
          key,
          config: { kind: "concurrency", capacity: 4, lease: MINUTE },
          taken: 4,
          expiresAt: fullAt,
        }),
      );
    }
    return t;
  }

  test("is deleted by the vacuum", async () => {
    const t = await start();
    await vacuum(t);
    expect(await stored(t)).toEqual([]);
  });

  test("is cleared by clearAll", async () => {
    const t = await start();
    await clear(t);
    await finish(t);
    expect(await stored(t)).toEqual(["overrides", "events"]);
  });

  test("is reset by resetAll, of its limits", async () => {
    const t = await start();
    for (const name of ["message", "render"] as const) {
      await t.mutation((ctx) => limiter.resetAll(ctx, name));
    }
    await finish(t);
    expect(await stored(t)).toEqual(["overrides", "events"]);
  });

  test.each(["key", "depleted"] as const)(
    "is listed by %s, in pages",
    async (order) => {
      const t = await start();
      const listed = await listAll({ t, limiter }, { order }, 100);
      const found = listed.map(({ name, key }) => `${name} ${parseInt(key!)}`);
      const names = ["message", "render"];
      const all = names.flatMap((name) => keys.map((_, i) => `${name} ${i}`));
      expect(found.toSorted()).toEqual(all.toSorted());
    },
  );

  test("is counted by stats and topDenied, and can be folded", async () => {
    const t = await start();
    const range = { from: MIDNIGHT, to: MIDNIGHT + HOUR };
    const told = () =>
      t.query((ctx) => limiter.stats(ctx, "message", { ...range, by: "hour" }));
    const counted = [{ granted: 3, denied: 3 }];
    expect(await told()).toMatchObject(counted);
    const denied = await t.query((ctx) =>
      limiter.topDenied(ctx, "message", range),
    );
    expect(denied).toHaveLength(3);
    await fold(t);
    await finish(t);
    expect(await told()).toMatchObject(counted);
  });

  test("is listed by listOverrides, and does not stop calls on other keys", async () => {
    const t = await start();
    const listed = await listedOverrides({ t, limiter });
    expect(listed.map(({ key }) => key)).toEqual(keys);
    const status = await t.mutation((ctx) =>
      limiter.limit(ctx, "message", { key: "zz" }),
    );
    expect(status).toEqual({ ok: true });
  });
});

describe("a long key of @convex-dev/rate-limiter with more rows than one transaction can read", () => {
  async function start(): Promise<Host> {
    const t = startHost({ transactionLimits: true });
    const key = "k".repeat(HUGE);
    for (let shard = 0; shard < 18; shard++) {
      const row = { name: "message", key, shard, value: 1, ts: MIDNIGHT };
      await inComponent(t, ({ db }) => db.insert("rateLimits", row));
    }
    return t;
  }

  const resetAll = (t: Host) =>
    t.mutation((ctx) => limiter.resetAll(ctx, "message"));

  test.each([
    ["is cleared by clearAll", clear],
    ["is reset by resetAll", resetAll],
  ])("%s in several transactions", async (_, empty) => {
    const t = await start();
    await empty(t);
    expect(await stored(t)).toEqual(["rateLimits"]);
    await finish(t);
    expect(await stored(t)).toEqual([]);
  });

  test("is left by the vacuum, which continues with other keys", async () => {
    const t = await start();
    await t.mutation((ctx) => limiter.limit(ctx, "message", { key: "a" }));
    await vacuum(t);
    const first = await inComponent(t, ({ db }) =>
      db
        .query("rateLimits")
        .withIndex("name", (q) => q.eq("name", "message").lt("key", "b"))
        .first(),
    );
    expect(first).toBeNull();
    expect(await stored(t)).toEqual(["rateLimits"]);
  });
});
