import { readFileSync } from "node:fs";
import {
  HOUR,
  isRateLimitError,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type HostCtx,
} from "../support/host.js";
import { root } from "../support/root.js";
import { balanceOf, expectExactWait, startApp } from "../support/startApp.js";
import {
  mountMixed,
  mountOurs,
  mountPeer,
  type Mounted,
} from "./bothPackages.js";

/*
 * What `limit` and `check` answer beside `@convex-dev/rate-limiter`: with `reserve` and `throws`, as
 * the table of docs/migrating.md says, and to a negative `count`, which gives tokens back.
 */

useStillTimers();

/** A token each 6 s. */
const bucket = {
  kind: "token bucket",
  rate: 10,
  period: MINUTE,
} as const;
const window = { ...bucket, kind: "fixed window", start: 0 } as const;

/** Balances before a call, and how many tokens it asks for. */
const CALLS = [
  ...[10, 4, 2, -3].map((value) => ({ value, count: 4 })),
  ...[10, -3].map((value) => ({ value, count: -0.5 })),
  ...[4, -3].map((value) => ({ value, count: -20 })),
];

/** The configs that the table means by its words for `maxReserved`. */
const MAX_RESERVED: Record<string, { maxReserved?: number }[]> = {
  enough: [{}, { maxReserved: 8 }],
  low: [{ maxReserved: 1 }],
};

type Row = {
  reserve: boolean;
  throws: boolean;
  maxReserved: string;
  says: string;
};

const page = readFileSync(`${root}docs/migrating.md`, "utf8");

const table: Row[] = [
  ...page.matchAll(/^\| (yes|no) +\| (yes|no) +\| (\w+) +\| ([\w ]+?) +\|$/gm),
].flatMap(([, reserve, throws, maxReserved, says]) =>
  (maxReserved === "any" ? Object.keys(MAX_RESERVED) : [maxReserved!]).map(
    (max) => ({
      reserve: reserve === "yes",
      throws: throws === "yes",
      maxReserved: max,
      says: says!,
    }),
  ),
);

const verbs = ["limit", "check"] as const;

const cases = table.flatMap(({ maxReserved, says, ...options }) =>
  MAX_RESERVED[maxReserved]!.flatMap((config) =>
    CALLS.flatMap((call) =>
      verbs.map((verb): Call & { says: string } => ({
        ...options,
        ...config,
        ...call,
        verb,
        says: call.value >= call.count ? "granted" : says,
      })),
    ),
  ),
);

type Call = Omit<Row, "says" | "maxReserved"> & {
  verb: (typeof verbs)[number];
  value: number;
  count: number;
  maxReserved?: number;
};

/** The answer to one call from a stored balance, and the balance that counts from then on. */
async function answered(
  { run, inline, restore, calculateRateLimit }: Mounted,
  base: typeof bucket | typeof window,
  { verb, value, count, reserve, throws, maxReserved }: Call,
) {
  vi.setSystemTime(MIDNIGHT);
  const config = maxReserved === undefined ? base : { ...base, maxReserved };
  await restore([{ name: "tokens", shard: 0, value, ts: MIDNIGHT }]);
  const answer = await run((ctx) =>
    inline[verb](ctx, "tokens", { config, count, reserve, throws }),
  );
  const balance = await run(async (ctx) => {
    const told = await inline.getValue(ctx, "tokens", { config });
    return calculateRateLimit(told, config, MIDNIGHT).value;
  });
  return { answer, balance };
}

/** Warnings that point to `credit` are expected here. */
function silenceAdvice() {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  return warn;
}

/** Names an answer as the table does. */
function inWords(
  answer: Awaited<ReturnType<typeof answered>>["answer"],
): string {
  if ("thrown" in answer) return "throws";
  if (!answer.ok) return "denied";
  return answer.retryAfter === undefined ? "granted" : "must wait";
}

test("the table has each case once", () => {
  const ids = table.map(({ reserve, throws, maxReserved }) =>
    [reserve, throws, maxReserved].join(),
  );
  const all = [true, false].flatMap((reserve) =>
    [true, false].flatMap((throws) =>
      Object.keys(MAX_RESERVED).map((max) => [reserve, throws, max].join()),
    ),
  );
  expect(ids.sort()).toEqual(all.sort());
});

describe.each([bucket, window])("with a $kind,", (base) => {
  test.for(cases)(
    "$verb answers as @convex-dev/rate-limiter does: count $count, reserve $reserve, throws $throws, maxReserved $maxReserved, balance $value: $says",
    async ({ says, ...one }) => {
      silenceAdvice();
      const there = await answered(mountPeer(), base, one);
      expect(inWords(there.answer)).toBe(says);
      for (const mount of [mountOurs, mountMixed]) {
        const here = await answered(mount(), base, one);
        expect(inWords(here.answer)).toBe(says);
        expect(here.balance).toBe(there.balance);
        // A denied reservation waits for less here: see "What changes".
        if (!one.reserve || says !== "denied") {
          expect(here.answer).toEqual(there.answer);
        }
      }
    },
  );
});

test("a reservation of more than the capacity that throws is RateLimited, as there", async () => {
  const options = { config: bucket, count: 12, reserve: true, throws: true };
  for (const verb of verbs) {
    for (const { run, inline, rows } of [
      mountPeer(),
      mountOurs(),
      mountMixed(),
    ]) {
      const answer = await run((ctx) => inline[verb](ctx, "tokens", options));
      expect(answer).toMatchObject({
        data: { kind: "RateLimited", retryAfter: 12_000 },
      });
      expect(await rows()).toEqual([]);
    }
  }
});

test("a paid limit blocks once its reservations are too deep, as Convex's docs for agents check it", async () => {
  const llm = { ...bucket, rate: 2000, capacity: 10_000 };
  for (const mounted of [mountPeer(), mountOurs(), mountMixed()]) {
    const { run, inline } = mounted;
    vi.setSystemTime(MIDNIGHT);
    const reserved = { config: llm, count: 9000, reserve: true };
    await run((ctx) => inline.limit(ctx, "llm", reserved));
    await run((ctx) => inline.limit(ctx, "llm", reserved));
    vi.setSystemTime(MIDNIGHT + MINUTE / 2);
    const asked = { ...reserved, count: 500, throws: true };
    expect(await run((ctx) => inline.check(ctx, "llm", asked))).toMatchObject({
      data: { kind: "RateLimited", name: "llm", retryAfter: 225_000 },
    });
  }
});

describe("a reservation that throws since it would have to wait", () => {
  const reserveAndThrow = { reserve: true, throws: true };

  /** The answer of a call that throws its denial. */
  const answerOf = <T>(call: Promise<T>) =>
    call.catch((error: unknown) => {
      if (!isRateLimitError(error)) throw error;
      return { ok: false, retryAfter: error.data.retryAfter };
    });

  test.for<[what: string, RateLimitConfig, used: number, count: number]>([
    ["a bucket", bucket, 14, 3],
    ["windows", window, 14, 3],
    ["a split limit", { ...bucket, rate: 100, shards: 10 }, 120, 30],
    ["a limit with maxReserved", { ...bucket, maxReserved: 4 }, 14, 3],
    ["a count of 0 in debt", bucket, 14, 0],
  ])(
    "is granted at its retryAfter, not a ms before: %s",
    async ([, config, used, count]) => {
      const app = startApp({ tokens: config });
      await app.limit("tokens", { count: used, reserve: true });
      await expectExactWait(() =>
        answerOf(
          app.mutate((ctx) =>
            app.limiter.limit(ctx, "tokens", { count, ...reserveAndThrow }),
          ),
        ),
      );
      expect(await balanceOf(app, "tokens")).toBeGreaterThanOrEqual(0);
    },
  );

  test("waits for the end of a ban, too", async () => {
    const app = startApp({ tokens: { ...bucket, overrides: true } });
    await app.setOverride("tokens", {
      deny: true,
      expiresAt: MIDNIGHT + HOUR,
    });
    const answer = app.mutate((ctx) =>
      app.limiter.limit(ctx, "tokens", reserveAndThrow),
    );
    expect(await answerOf(answer)).toEqual({ ok: false, retryAfter: HOUR });
  });

  test("takes nothing in a list either, and names the limit that has none", async () => {
    const app = startApp({ plenty: bucket, single: { ...bucket, rate: 1 } });
    const list = [
      { name: "plenty", count: 2 },
      { name: "single", count: 2, reserve: true },
    ] as const;
    const throws = true;
    for (const verb of ["limitAll", "checkAll"] as const) {
      const denied = app.mutate((ctx) =>
        app.limiter[verb](ctx, list, { throws }),
      );
      await expect(denied).rejects.toMatchObject({
        data: { kind: "RateLimited", name: "single", retryAfter: MINUTE },
      });
    }
    expect(await balanceOf(app, "plenty")).toBe(10);
    expect(await balanceOf(app, "single")).toBe(1);
  });

  test("takes nothing if its mutation catches the error, calls onDenied, and is counted", async () => {
    const t = startHost();
    const onDenied = vi.fn();
    const limiter = new RateLimiter(
      components.rateLimiter,
      { tokens: { ...bucket, stats: true } },
      { onDenied },
    );
    const inMutation = <T>(work: (ctx: HostCtx) => Promise<T>) =>
      t.mutation(work);
    const options = { key: "anna", count: 12, ...reserveAndThrow };
    await inMutation((ctx) => answerOf(limiter.limit(ctx, "tokens", options)));
    expect(onDenied.mock.calls).toEqual([
      [
        expect.anything(),
        { name: "tokens", key: "anna", count: 12, retryAfter: 12_000 },
      ],
    ]);
    const range = { from: MIDNIGHT, to: MIDNIGHT + MINUTE };
    const [stats] = await inMutation((ctx) =>
      limiter.stats(ctx, "tokens", { ...range, by: "minute" }),
    );
    expect(stats).toMatchObject({ granted: 0, denied: 1, tokens: 0 });
    const { value } = await inMutation((ctx) =>
      limiter.getValue(ctx, "tokens", { key: "anna" }),
    );
    expect(value).toBe(10);
  });

  test("is let through by a dry run, which takes nothing", async () => {
    const app = startApp({ tokens: { ...bucket, enforce: false } });
    const status = await app.mutate((ctx) =>
      app.limiter.limit(ctx, "tokens", { count: 12, ...reserveAndThrow }),
    );
    expect(status).toEqual({ ok: true, wouldDeny: true });
    expect(await balanceOf(app, "tokens")).toBe(10);
  });
});

describe("a negative count", () => {
  test("gives back to the rows of a split limit, up to the capacity", async () => {
    silenceAdvice();
    const app = startApp({ tokens: { ...bucket, rate: 100, shards: 10 } });
    for (let i = 0; i < 8; i++) await app.limit("tokens", { count: 10 });
    await app.limit("tokens", { count: -45.5 });
    expect(await balanceOf(app, "tokens")).toBe(65.5);
    await app.limit("tokens", { count: -45.5 });
    expect(await balanceOf(app, "tokens")).toBe(100);
    expect(await app.limit("tokens", { count: 100 })).toEqual({ ok: true });
  });

  test("may stand in a list with others", async () => {
    silenceAdvice();
    const app = startApp({ a: bucket, b: bucket });
    await app.limit("b", { count: 5 });
    await app.limitAll([
      { name: "a", count: 2 },
      { name: "b", count: -3 },
    ]);
    expect(await balanceOf(app, "a")).toBe(8);
    expect(await balanceOf(app, "b")).toBe(8);
  });

  test("is counted as a call that took no tokens", async () => {
    silenceAdvice();
    const app = startApp({ tokens: { ...bucket, stats: true } });
    await app.limit("tokens", { count: 5 });
    await app.limit("tokens", { count: -3 });
    const stats = await app.mutate((ctx) =>
      app.limiter.stats(ctx, "tokens", {
        from: MIDNIGHT,
        to: MIDNIGHT + MINUTE,
        by: "minute",
      }),
    );
    expect(stats[0]).toMatchObject({ granted: 2, denied: 0, tokens: 5 });
  });

  test.each([
    ["once", {}, 1],
    ["never with advice: false", { advice: false }, 0],
  ] as const)(
    "makes a limiter point to credit %s",
    async (_, options, times) => {
      const warn = silenceAdvice();
      const t = startHost();
      const limiter = new RateLimiter(
        components.rateLimiter,
        { tokens: bucket },
        options,
      );
      await t.mutation(async (ctx) => {
        await limiter.limit(ctx, "tokens", { count: 2 });
        await limiter.limit(ctx, "tokens", { count: -1 });
        await limiter.check(ctx, "tokens", { count: -1 });
        await limiter.limit(ctx, "tokens", { count: -1 });
      });
      expect(warn).toHaveBeenCalledTimes(times);
      for (const [text] of warn.mock.calls) {
        expect(text).toBe(
          "Rate limit tokens: count is -1, which gives tokens back. Use credit for that (advice: false silences this).",
        );
      }
    },
  );
});
