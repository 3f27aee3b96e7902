import { readFileSync } from "node:fs";
import {
  HOUR,
  isRateLimitError,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
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
 * What `limit` and `check` answer with `reserve` and `throws`: the table of docs/migrating.md,
 * beside `@convex-dev/rate-limiter`.
 */

useStillTimers();

/** A token each 6 s. */
const bucket = {
  kind: "token bucket",
  rate: 10,
  period: MINUTE,
} as const;
const window = { ...bucket, kind: "fixed window", start: 0 } as const;

/** Balances before the call, and whether they suffice. */
const BALANCES = [
  { value: 10, suffices: true },
  { value: 4, suffices: true },
  { value: 2, suffices: false },
  { value: -3, suffices: false },
];

/** The call asks for this many tokens. */
const COUNT = 4;

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

const cases = table.flatMap(({ maxReserved, says, ...options }) =>
  MAX_RESERVED[maxReserved]!.flatMap((config) =>
    BALANCES.flatMap(({ value, suffices }) =>
      (["limit", "check"] as const).map((verb) => ({
        ...options,
        ...config,
        verb,
        value,
        says: suffices ? "granted" : says,
      })),
    ),
  ),
);

type Case = Omit<(typeof cases)[number], "maxReserved"> & {
  maxReserved?: number;
};

/** The answer to one call from a stored balance, and the balance that it leaves. */
async function answered(
  { run, inline, restore, rows }: Mounted,
  config: typeof bucket | typeof window,
  { verb, reserve, throws, value }: Omit<Case, "says">,
) {
  vi.setSystemTime(MIDNIGHT);
  await restore([{ name: "tokens", shard: 0, value, ts: MIDNIGHT }]);
  const request = { count: COUNT, reserve, throws };
  const answer = await run((ctx) =>
    inline[verb](ctx, "tokens", { config, ...request }),
  );
  return { answer, left: (await rows())[0]!.value };
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

for (const base of [bucket, window]) {
  test.for<Case>(cases)(
    `${base.kind}: $verb, reserve $reserve, throws $throws, maxReserved $maxReserved, balance $value: $says, as in @convex-dev/rate-limiter`,
    async (one) => {
      const { maxReserved } = one;
      const config = {
        ...base,
        ...(maxReserved !== undefined && { maxReserved }),
      };
      const there = await answered(mountPeer(), config, one);
      expect(inWords(there.answer)).toBe(one.says);
      for (const mount of [mountOurs, mountMixed]) {
        const here = await answered(mount(), config, one);
        expect(inWords(here.answer)).toBe(one.says);
        expect(here.left).toBe(there.left);
        // A denied reservation waits for less here: see "What changes".
        if (!one.reserve || one.says !== "denied") {
          expect(here.answer).toEqual(there.answer);
        }
      }
    },
  );
}

test("a reservation of more than the capacity that throws is RateLimited, as there", async () => {
  const options = { config: bucket, count: 12, reserve: true, throws: true };
  for (const verb of ["limit", "check"] as const) {
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
