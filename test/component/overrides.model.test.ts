import { HOUR, MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { optional, step } from "../support/arbitraries.js";
import { MIDNIGHT, runVacuum, stored, useStillClock } from "../support/host.js";
import { runs } from "../support/seed.js";
import { bucket, listedOverrides, startApp } from "../support/startApp.js";

useStillClock();

const whose = fc.constantFrom("ada", "ada", "ada", undefined);
const aWhile = optional(fc.integer({ min: 1, max: 9 }).map((n) => n * MINUTE));

const aStep = fc.oneof(
  step("set", 6, {
    key: whose,
    effect: fc.constantFrom("limited", "limited", "banned", "unlimited"),
    startsIn: aWhile,
    lasts: aWhile,
  }),
  step("penalize", 2, { lasts: fc.integer({ min: 1, max: 9 }) }),
  step("clear", 1, { key: whose }),
  step("pass", 4, { ms: fc.integer({ min: 1, max: 9 * MINUTE }) }),
  step("pass", 2, { ms: fc.constantFrom(MINUTE, -MINUTE, -1, 2 * HOUR) }),
  step("vacuum", 1),
);

/** An override, with a number that its note and its rate tell. */
type One = {
  nth: number;
  effect: "limited" | "banned" | "unlimited";
  from: number;
  to: number;
};

/** What one key, or the whole limit, has. The lasting ones follow one another. */
type All = { lasting: One[]; ending: One[]; ban: One[] };

const none = (): All => ({ lasting: [], ending: [], ban: [] });

test("of a key's ban, its override with an end and its lasting one, and then of the limit's, the first in force applies", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 3, maxLength: 25 }),
      async (steps) => {
        vi.setSystemTime(MIDNIGHT);
        const app = startApp({ api: { ...bucket(1000), overrides: true } });
        const { limiter, mutate } = app;
        let ofKey = none();
        let ofLimit = none();
        for (const [nth, one] of steps.entries()) {
          const now = Date.now();
          const note = String(nth);
          const of = "key" in one && one.key === undefined ? ofLimit : ofKey;
          if (one.verb === "pass") vi.setSystemTime(now + one.ms);
          if (one.verb === "vacuum") await runVacuum(app.t);
          if (one.verb === "clear") {
            await app.clearOverride("api", { key: one.key });
            if (one.key === undefined) ofLimit = none();
            else ofKey = none();
          }
          if (one.verb === "penalize") {
            const bans = [one.lasts * MINUTE];
            const options = { key: "ada", bans, forgetAfter: 0, note };
            const { retryAfter } = await mutate((ctx) =>
              limiter.penalize(ctx, "api", options),
            );
            const to = now + retryAfter;
            of.ban = [{ nth, effect: "banned", from: now, to }];
          }
          if (one.verb === "set") {
            const { key, effect, startsIn, lasts } = one;
            const from = now + (startsIn ?? 0);
            const to = lasts === undefined ? Infinity : from + lasts;
            const change = {
              limited: { config: { rate: 1 + nth } },
              banned: { deny: true },
              unlimited: { unlimited: true },
            } as const;
            await app.setOverride("api", {
              key,
              note,
              ...change[effect],
              startsAt: startsIn && from,
              expiresAt: lasts && to,
            });
            const set = { nth, effect, from: startsIn ? from : -Infinity, to };
            if (lasts !== undefined) of.ending = [set];
            else {
              const past = of.lasting.filter((last) => last.from <= now);
              of.lasting = startsIn ? [set, ...past.slice(0, 1)] : [set];
            }
          }
          const time = Date.now();
          const value = await app.getValue("api", { key: "ada" });
          const all = [ofKey, ofLimit].map(({ ban, ending, lasting }) => [
            ...ban,
            ...ending,
            ...lasting,
          ]);
          for (let at = time; at < time + 20 * MINUTE; at += 10_007) {
            const layers = all
              .flat()
              .filter(({ from, to }) => from <= at && at < to);
            const changed = layers.find((layer) => layer.effect === "limited");
            const shown = value.phases?.find(
              ({ until = Infinity }) => at < until,
            );
            const { effect, config } = shown ?? { ...value, effect: "limited" };
            expect([effect, config.rate]).toEqual([
              layers[0]?.effect ?? "limited",
              changed === undefined ? 1000 : 1 + changed.nth,
            ]);
          }
          // One that lasts is over once the one that follows it has begun.
          const isOver = (one: One, i: number, those: One[]) =>
            one.to <= time ||
            those.slice(0, i).some(({ from }) => from <= time);
          const open = [ofKey, ofLimit].flatMap(({ ban, ending, lasting }) =>
            [ban, ending, lasting].flatMap((those) =>
              those.filter((one, i) => !isOver(one, i, those)),
            ),
          );
          const listed = await listedOverrides(app, { name: "api" });
          expect(listed.map((one) => one.note).sort()).toEqual(
            open.map((one) => String(one.nth)).sort(),
          );
          const rows = await stored(app.t, "overrides");
          const places = rows.map(({ key, layer }) => `${key} ${layer}`);
          expect(new Set(places).size).toBe(rows.length);
        }
      },
    ),
    runs(25),
  );
});
