import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { optional } from "../support/arbitraries.js";
import { MIDNIGHT, useStillClock, runVacuum } from "../support/host.js";
import { bucket, listedOverrides, startApp } from "../support/startApp.js";
import { runs } from "../support/seed.js";

useStillClock();

const config = { ...bucket(10), overrides: true };

const start = () => startApp({ api: config, other: config });

type Listed = { name: string; key?: string | undefined };

/** By name, then by key. The override of the whole limit comes first. */
const order = (a: Listed, b: Listed) =>
  a.name.localeCompare(b.name) ||
  Number(a.key !== undefined) - Number(b.key !== undefined) ||
  (a.key ?? "").localeCompare(b.key ?? "");

test("listOverrides returns all that have not expired once, in order, for any page size", async () => {
  const some = fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("api", "other"),
      key: optional(fc.stringMatching(/^[a-z]{0,2}$/)),
      note: optional(fc.constant("spam")),
      startsAt: optional(fc.constant(MIDNIGHT + 100)),
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
        const override = { deny: true } as const;
        const all = overrides.map(({ lasts, startsAt = MIDNIGHT, ...of }) => ({
          ...of,
          startsAt: startsAt === MIDNIGHT ? undefined : startsAt,
          expiresAt: lasts === undefined ? undefined : startsAt + lasts,
        }));
        for (const { name, ...of } of all) {
          await app.setOverride(name, { ...override, ...of });
        }
        const now = MIDNIGHT + pause;
        vi.setSystemTime(now);
        if (vacuums) await runVacuum(app.t);
        const inForce = all
          .filter(({ expiresAt = Infinity }) => expiresAt > now)
          .map((one) => ({ ...one, override }))
          .sort(order);
        const listed = await listedOverrides(app, {}, numItems);
        expect(listed).toEqual(inForce);
        const ofApi = await listedOverrides(app, { name: "api" }, numItems);
        expect(ofApi).toEqual(listed.filter(({ name }) => name === "api"));
      },
    ),
    runs(8),
  );
});
