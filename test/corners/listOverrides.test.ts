import { HOUR, type RateLimitOverride } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { optional } from "../arbitraries.js";
import { inComponent, MIDNIGHT, useStillClock, allPages } from "../host.js";
import { bucket, runVacuum, startApp, type App } from "./app.js";
import { runs } from "../seed.js";

useStillClock();

const config = { ...bucket(10), overrides: true };

const start = () => startApp({ api: config, other: config });

/** All pages, one after the other. */
async function listAll(
  { t, limiter }: App,
  numItems: number,
  name?: string,
): Promise<RateLimitOverride[]> {
  return allPages((cursor) =>
    t.query((ctx) =>
      limiter.listOverrides(ctx, {
        name,
        paginationOpts: { numItems, cursor },
      }),
    ),
  );
}

describe.each([1, 3])("in pages of %i", (numItems) => {
  test("each comes once, by name and key, the limit's own first", async () => {
    const app = start();
    await app.setOverride("other", { deny: true });
    for (const key of ["c", "a", "d", "b"]) {
      await app.setOverride("api", { key, unlimited: true });
    }
    await app.setOverride("api", { deny: true, note: "for all" });
    const listed = await listAll(app, numItems);
    expect(listed.map(({ name, key }) => [name, key])).toEqual([
      ["api", undefined],
      ["api", "a"],
      ["api", "b"],
      ["api", "c"],
      ["api", "d"],
      ["other", undefined],
    ]);
    expect(listed[0]).toEqual({
      name: "api",
      override: { deny: true },
      note: "for all",
    });
    expect(await listAll(app, numItems, "other")).toMatchObject([
      { name: "other" },
    ]);
  });
});

test("more than a thousand come, each once", async () => {
  const app = start();
  const keys = Array.from({ length: 505 }, (_, i) => `key ${1000 + i}`);
  // Of each key one in force and one that is yet to begin.
  const all = keys.flatMap((key) => [{ key }, { key, startsAt: MIDNIGHT + 1 }]);
  await inComponent(app.t, async ({ db }) => {
    const override = { deny: true } as const;
    for (const one of all) {
      await db.insert("overrides", { name: "api", override, ...one });
    }
  });
  const listed = await listAll(app, 500, "api");
  expect(listed).toMatchObject(all);
});

test("one that is yet to begin is listed, with its beginning and its end", async () => {
  const app = start();
  const [startsAt, expiresAt] = [MIDNIGHT + HOUR, MIDNIGHT + 2 * HOUR];
  await app.setOverride("api", { key: "k", deny: true, startsAt, expiresAt });
  expect(await listAll(app, 10)).toEqual([
    { name: "api", key: "k", override: { deny: true }, startsAt, expiresAt },
  ]);
});

test("whatever has expired and in whatever pages, what is in force comes once", async () => {
  const some = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("api", "other"),
      key: optional(fc.string({ maxLength: 3 })),
      lasts: optional(fc.integer({ min: 1, max: 10 })),
    }),
    { maxLength: 25, selector: ({ name, key }) => JSON.stringify([name, key]) },
  );
  await fc.assert(
    fc.asyncProperty(
      some,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 0, max: 11 }),
      fc.boolean(),
      async (overrides, numItems, pause, vacuums) => {
        vi.setSystemTime(MIDNIGHT);
        const app = start();
        for (const { name, key, lasts } of overrides) {
          const expiresAt = lasts === undefined ? undefined : MIDNIGHT + lasts;
          await app.setOverride(name, { key, deny: true, expiresAt });
        }
        vi.setSystemTime(MIDNIGHT + pause);
        if (vacuums) await runVacuum(app);
        const id = ({ name, key }: { name: string; key?: string }) =>
          JSON.stringify([name, key ?? null]);
        const inForce = overrides.filter(
          ({ lasts }) => lasts === undefined || lasts > pause,
        );
        const listed = await listAll(app, numItems);
        expect(listed.map(id).sort()).toEqual(inForce.map(id).sort());
        const ofApi = await listAll(app, numItems, "api");
        expect(ofApi).toEqual(listed.filter(({ name }) => name === "api"));
      },
    ),
    runs(8),
  );
});
