import { DAY, HOUR, MINUTE, type LimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { step } from "../support/arbitraries.js";
import { balanceOf, bucket, deployed, startApp } from "../support/startApp.js";
import { freezeClock, MIDNIGHT, useStillClock } from "../support/host.js";
import { runs } from "../support/seed.js";

useStillClock();

const LEASE = 5 * MINUTE;
const limits = {
  // It does not refill while a test runs.
  tokens: { ...bucket(100, 1), period: 10_000 * DAY, overrides: true },
  others: { ...bucket(100, 1), period: 10_000 * DAY, stats: true },
  places: {
    kind: "concurrency",
    capacity: 3,
    lease: LEASE,
    overrides: true,
  },
} satisfies Record<string, LimitConfig>;
type Name = keyof typeof limits;

function start() {
  const app = startApp(limits);
  const key = "k";
  return {
    ...app,
    hold: (name: Name, once: string, more: object = {}) =>
      app.hold(name, { key, once, ...more }),
    held: (name: Name, once: string, more: object = {}) =>
      app.held(name, { key, once, ...more }),
    left: async (name: Name = "tokens") =>
      Math.round(await balanceOf(app, name, { key })),
  };
}

const settled = { settled: true };
const notSettled = { settled: false };
const forty = { count: 40 };

describe("a hold with once", () => {
  test("is taken once by an action that crashes and is retried", async () => {
    const { t, limiter, left, holds } = start();
    const attempt = (work: () => Promise<number>) =>
      t.action(async (ctx) => {
        const held = await limiter.hold(ctx, "tokens", {
          key: "k",
          once: "job-17",
          ...forty,
        });
        const count = await work();
        return held.ok && limiter.settle(ctx, held.id, { count });
      });
    const crashed = attempt(() => Promise.reject(new Error("It crashed.")));
    await expect(crashed).rejects.toThrow("It crashed.");
    expect(await left()).toBe(60);
    expect(await attempt(async () => 30)).toEqual(settled);
    expect(await left()).toBe(70);
    // As if the answer of settle was lost: the hold has paid, and pays no more.
    expect(await attempt(async () => 30)).toEqual(notSettled);
    expect(await left()).toBe(70);
    expect(await holds()).toMatchObject([{ once: "job-17", isSettled: true }]);
  });

  test("is for one limit and key", async () => {
    const { held, left } = start();
    await held("tokens", "job");
    for (const [name, more] of [
      ["others", {}],
      ["places", {}],
      ["tokens", { key: "another" }],
      ["tokens", { key: undefined }],
    ] as const) {
      await held(name, "job", more);
    }
    await held("tokens", "job");
    expect(await left()).toBe(99);
    expect(await left("others")).toBe(99);
    expect(await left("places")).toBe(2);
  });

  test("is granted to a retry, even if a new hold would be denied", async () => {
    const { held, hold, setOverride } = start();
    await held("tokens", "job", { count: 100 });
    expect(await hold("tokens", "other job")).toMatchObject({ ok: false });
    await held("tokens", "job", { count: 100 });
    await setOverride("tokens", { deny: true });
    await held("tokens", "job", { count: 100 });
  });

  test("is counted once for stats", async () => {
    const { held, limiter, mutate } = start();
    for (let i = 0; i < 3; i++) await held("others", "job", forty);
    const now = Date.now();
    const range = { from: now, to: now + 1, by: "minute" } as const;
    const [counted] = await mutate((ctx) =>
      limiter.stats(ctx, "others", range),
    );
    expect(counted).toMatchObject({ granted: 1, tokens: 40 });
  });

  test.each([
    ["empty", ""],
    ["too long", "x".repeat(1025)],
  ])("is refused if its id is %s", async (_, once) => {
    const { hold, holds } = start();
    await expect(hold("tokens", once)).rejects.toThrow(
      /^Rate limit tokens: once must be (a non-empty string, but is ""|at most 1024 bytes long in UTF-8, but has 1025)\.$/,
    );
    expect(await holds()).toEqual([]);
  });
});

describe("an attempt whose hold a later one has taken over", () => {
  test("ends no lease", async () => {
    const { held, hold, release, renew, left } = start();
    const first = await held("places", "job", { count: 3 });
    const second = await held("places", "job", { count: 3 });
    expect(await renew(first)).toEqual({ renewed: false });
    expect(await release(first)).toEqual(notSettled);
    expect(await hold("places", "other job")).toMatchObject({ ok: false });
    expect(await renew(second)).toEqual({ renewed: true });
    expect(await release(second)).toEqual(settled);
    expect(await left("places")).toBe(3);
  });

  test("settles nothing, and the later one pays", async () => {
    const { held, settle, left } = start();
    const first = await held("tokens", "job", forty);
    const second = await held("tokens", "job", forty);
    expect(await settle(first, 0)).toEqual(notSettled);
    expect(await settle(first, 70)).toEqual(notSettled);
    expect(await left()).toBe(60);
    expect(await settle(second, 30)).toEqual(settled);
    expect(await left()).toBe(70);
  });
});

test.each([
  ["held", undefined],
  ["settled", 30],
])(
  "a once that was %s is refused with another count, and the error names both",
  async (_, used) => {
    const { held, hold, holdAll, settle, left } = start();
    const id = await held("tokens", "job", forty);
    if (used !== undefined) await settle(id, used);
    const before = await left();
    const error =
      'Rate limit tokens: once "job" was held with a count of 40, and now comes with 1.';
    await expect(hold("tokens", "job")).rejects.toThrow(error);
    const list = [{ name: "tokens", key: "k", once: "job" }] as const;
    await expect(holdAll([...list])).rejects.toThrow(error);
    expect(await left()).toBe(before);
  },
);

describe("a lease with once", () => {
  test("is the same for all attempts, each of which renews it", async () => {
    const { held, holds, left } = start();
    await held("places", "job");
    vi.setSystemTime(MIDNIGHT + LEASE - 1);
    await held("places", "job");
    expect(await holds()).toMatchObject([
      { expiresAt: MIDNIGHT + 2 * LEASE - 1 },
    ]);
    vi.setSystemTime(MIDNIGHT + 2 * LEASE - 1);
    await held("places", "job");
    expect(await holds()).toHaveLength(2);
    expect(await left("places")).toBe(2);
  });

  test("that has expired by a clock ahead of this one is held anew", async () => {
    const { held, left } = start();
    const id = await held("places", "job");
    vi.setSystemTime(MIDNIGHT + LEASE);
    await held("places", "other job");
    vi.setSystemTime(MIDNIGHT + LEASE - 1000);
    expect(await held("places", "job")).not.toBe(id);
    expect(await left("places")).toBe(0);
  });

  test("is not a hold from when the limit was of another kind", async () => {
    const { t, held } = start();
    const id = await held("tokens", "job");
    const { limiter, mutate } = deployed(t, { tokens: limits.places });
    const again = () =>
      mutate((ctx) => limiter.hold(ctx, "tokens", { key: "k", once: "job" }));
    const place = await again();
    expect(place.ok && place.id !== id).toBe(true);
    expect((await again()).ok).toBe(true);
    expect(
      await balanceOf(deployed(t, { tokens: limits.places }), "tokens", {
        key: "k",
      }),
    ).toBe(2);
  });
});

describe("a list with once", () => {
  const list = (
    { holdAll }: ReturnType<typeof start>,
    ...onces: [Name, string, number?][]
  ) =>
    holdAll(
      onces.map(([name, once, count]) => ({ name, key: "k", once, count })),
    );

  test("takes only what is not held yet, and returns ids in the order of the list", async () => {
    const app = start();
    await app.held("others", "job", forty);
    const items: [Name, string, number?][] = [
      ["tokens", "job", 40],
      ["others", "job", 40],
      ["places", "job"],
    ];
    for (const some of [items, items.toReversed()]) {
      const { ids = [] } = await list(app, ...some);
      const names = ids.map((id) => id.split(":")[1]);
      expect(names).toEqual(some.map(([name]) => name));
    }
    expect(await app.left("tokens")).toBe(60);
    expect(await app.left("others")).toBe(60);
    expect(await app.left("places")).toBe(2);
  });

  test("that is denied names the item, and takes and renews nothing", async () => {
    const app = start();
    await app.held("places", "job");
    const before = await app.holds();
    vi.setSystemTime(MIDNIGHT + 1000);
    await app.held("tokens", "large", { count: 70 });
    const denied = await list(
      app,
      ["places", "job"],
      ["others", "job", 40],
      ["tokens", "job", 40],
    );
    expect(denied).toMatchObject({
      ok: false,
      blockedBy: { index: 2, name: "tokens" },
    });
    expect(await app.left("others")).toBe(100);
    expect((await app.holds())[0]).toEqual(before[0]);
  });

  test("is refused if it has one id twice for a limit and key", async () => {
    const app = start();
    await expect(
      list(app, ["tokens", "job"], ["others", "job"], ["tokens", "job"]),
    ).rejects.toThrow(
      "Rate limit tokens comes twice in the list for the same key, with the same once.",
    );
  });
});

/* The oracle keeps the newest hold of each id, and the balance of a limit that never refills. */
test("in any order of calls, each id has at most one hold, and the balance lacks what they took", async () => {
  const once = fc.constantFrom("a", "b", "c");
  const count = fc.integer({ min: 0, max: 40 });
  const steps = fc.array(
    fc.oneof(
      step("hold", 4, { once, count }),
      step("settle", 2, { once, used: fc.oneof(fc.constant(0), count) }),
      step("pass", 1, { ms: fc.integer({ min: 1, max: HOUR }) }),
    ),
    { maxLength: 25 },
  );
  type Known = { id: string; count: number; isOpen: boolean; until: number };
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      freezeClock(MIDNIGHT);
      const { hold, settle, left } = start();
      const known = new Map<string, Known>();
      let balance = 100;
      for (const step of steps) {
        const now = Date.now();
        if (step.verb === "pass") {
          vi.setSystemTime(now + step.ms);
          continue;
        }
        const before = known.get(step.once);
        const live = before && before.until > now ? before : undefined;
        if (step.verb === "hold") {
          const { count } = step;
          const asked = { count, expiresAfter: HOUR };
          if (live !== undefined && live.count !== count) {
            await expect(hold("tokens", step.once, asked)).rejects.toThrow(
              `a count of ${live.count}, and now comes with ${count}`,
            );
            asked.count = live.count;
          }
          const { ok, id } = await hold("tokens", step.once, asked);
          expect(ok).toBe(live !== undefined || count <= balance);
          if (live !== undefined) live.id = id!;
          else if (id !== undefined) {
            balance -= count;
            const until = now + HOUR;
            known.set(step.once, { id, count, isOpen: true, until });
          }
        } else if (before !== undefined) {
          const { used } = step;
          const isOpen = live?.isOpen === true;
          expect(await settle(before.id, used)).toEqual({ settled: isOpen });
          if (!isOpen) continue;
          balance += before.count - used;
          if (used === 0) known.delete(step.once);
          else before.isOpen = false;
        }
        expect(await left()).toBe(balance);
      }
    }),
    runs(30),
  );
});
