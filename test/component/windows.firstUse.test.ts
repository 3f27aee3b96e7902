import type { LimitConfig, RateLimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/periods.js";
import { MIDNIGHT, stored, useStillClock } from "../support/host.js";
import { modesOf } from "../support/modes.js";
import { runs } from "../support/seed.js";
import {
  agreedBalance,
  deployed,
  drain,
  expectExactWait,
  startApp,
} from "../support/startApp.js";
import { table } from "../support/table.js";

useStillClock();

const PERIOD = 5 * HOUR;

/** Twenty messages in the five hours from the first one on. */
const messages = {
  kind: "fixed window",
  rate: 20,
  period: PERIOD,
  start: "first use",
} as const;

const at = (ms: number) => void vi.setSystemTime(MIDNIGHT + ms);

/** Each key's window: when it ends, and what is left of it. Nothing else is known of a key. */
class NaiveWindows {
  private readonly windows = new Map<string, { end: number; left: number }>();

  private windowAt(now: number, key: string) {
    const window = this.windows.get(key);
    return window !== undefined && now < window.end ? window : undefined;
  }

  check(now: number, key: string, count: number) {
    const { end = now, left = messages.rate } = this.windowAt(now, key) ?? {};
    return count <= left
      ? { ok: true as const }
      : { ok: false as const, retryAfter: end - now };
  }

  limit(now: number, key: string, count: number) {
    const answer = this.check(now, key, count);
    if (!answer.ok || count === 0) return answer;
    const window = this.windowAt(now, key) ?? {
      end: now + PERIOD,
      left: messages.rate,
    };
    this.windows.set(key, { ...window, left: window.left - count });
    return answer;
  }
}

describe.each(modesOf(messages))(
  "a window from the first use, with %s,",
  (_, api) => {
    const steps = table(`
      at       | key | count | granted | retryAfter | why
      0        | a   | 0     | yes     |            | a count of 0 begins no window
      0:10     | a   | 1     | yes     |            | begins at 0:10
      4:00     | b   | 20    | yes     |            | another key begins at 4:00
      5:09:59  | a   | 20    | no      | 1 s        | one is taken
      5:09:59  | a   | 19    | yes     |            | late, but in the window
      5:10     | a   | 20    | yes     |            | in the very ms of its end: the next window begins
      8:59:59  | b   | 1     | no      | 1 s        |
      9:00     | b   | 0     | yes     |            | b has no window now
      9:30     | b   | 20    | yes     |            | begins at 9:30
      10:09:59 | a   | 1     | no      | 1 s        |
      9:00     | a   | 1     | no      | 1:10:00    | by a clock that is behind
      4:00     | a   | 1     | no      | 6:10:00    | by one from before the window began
      10:10    | a   | 1     | yes     |            |
      20:00    | a   | 20    | yes     |            | a full key waits for its next use
      20:00    | a   | 1     | no      | 5:00:00    |
  `);

    const ms = (text: string) => {
      if (text.endsWith(" s")) return Number(text.slice(0, -2)) * SECOND;
      const [hours = 0, minutes = 0, seconds = 0] = text.split(":").map(Number);
      return hours * HOUR + minutes * MINUTE + seconds * SECOND;
    };

    test("answers each call by the table", async () => {
      const { limit, check } = startApp({ api });
      const naive = new NaiveWindows();
      for (const [time, key, count, granted, retryAfter, why] of steps.slice(
        1,
      )) {
        at(ms(time!));
        const request = { key: key!, count: Number(count) };
        const answer =
          granted === "yes"
            ? { ok: true }
            : { ok: false, retryAfter: ms(retryAfter!) };
        expect(naive.limit(Date.now(), request.key, request.count)).toEqual(
          answer,
        );
        const message = `${time} ${key} ${count}: ${why}`;
        expect(await check("api", request), message).toMatchObject(answer);
        expect(await limit("api", request), message).toMatchObject(answer);
      }
    });

    const aStep = fc.record({
      move: fc.oneof(
        fc.constantFrom(0, 0, 1, PERIOD - 1, PERIOD, PERIOD + 1),
        fc.integer({ min: -2 * HOUR, max: 8 * HOUR }),
        fc.constantFrom("the wait" as const, "1 ms less" as const),
      ),
      verb: fc.constantFrom(
        "limit" as const,
        "limit" as const,
        "check" as const,
      ),
      key: fc.constantFrom("a", "a", "b"),
      count: fc.oneof(fc.integer({ min: 0, max: 8 }), fc.constant(20)),
    });

    test("answers any calls as a map of keys to the ends of their windows does", async () => {
      const some = fc.array(aStep, { minLength: 1, maxLength: 40 });
      const play = async (
        steps: (typeof aStep extends fc.Arbitrary<infer One> ? One : never)[],
      ) => {
        const app = startApp({ api });
        const naive = new NaiveWindows();
        let retryAfter = 0;
        at(0);
        for (const { move, verb, key, count } of steps) {
          const moved =
            typeof move === "number"
              ? move
              : Math.max(0, retryAfter - (move === "the wait" ? 0 : 1));
          vi.setSystemTime(Date.now() + moved);
          const expected = naive[verb](Date.now(), key, count);
          expect(await app[verb]("api", { key, count })).toEqual({
            retryAfter: undefined,
            ...expected,
          });
          if (!expected.ok) ({ retryAfter } = expected);
        }
      };
      await fc.assert(fc.asyncProperty(some, play), runs(30));
    });

    test("is told alike by every call", async () => {
      const app = startApp({ api });
      const { limit, details } = app;
      expect(await agreedBalance(app, "api")).toBe(20);
      at(HOUR);
      await limit("api", { count: 5 });
      for (const [time, balance, resetAfter] of [
        [HOUR, 15, PERIOD],
        [3 * HOUR, 15, PERIOD - 2 * HOUR],
        [PERIOD + HOUR - 1, 15, 1],
        [PERIOD + HOUR, 20, 0],
        [PERIOD + 90 * MINUTE, 20, 0],
      ] as const) {
        at(time);
        expect(await agreedBalance(app, "api")).toBe(balance);
        expect(await details("api")).toMatchObject({ resetAfter });
      }
      at(PERIOD + 90 * MINUTE);
      await limit("api", { count: 15 });
      expect(await expectExactWait(() => limit("api", { count: 6 }))).toBe(
        PERIOD,
      );
    });

    test("ends a period later even if all was given back", async () => {
      const app = startApp({ api });
      const { limit, credit } = app;
      await limit("api");
      at(HOUR);
      await credit("api");
      // The vacuum has nothing to forget yet.
      at(PERIOD - 1);
      expect(await drain(app, "api")).toBe(20);
      at(PERIOD);
      expect(await drain(app, "api")).toBe(20);
      expect(await limit("api")).toMatchObject({ retryAfter: PERIOD });
    });

    test("is followed by the next one at once while the key owes", async () => {
      const app = startApp({ api });
      const { charge, limit } = app;
      expect(await charge("api", { count: 45 })).toEqual({
        retryAfter: 2 * PERIOD,
      });
      at(PERIOD + HOUR);
      expect(await agreedBalance(app, "api")).toBe(-5);
      at(2 * PERIOD + HOUR);
      expect(await agreedBalance(app, "api")).toBe(15);
      expect(await limit("api", { count: 16 })).toMatchObject({
        retryAfter: PERIOD - HOUR,
      });
      at(3 * PERIOD + HOUR);
      expect(await drain(app, "api")).toBe(20);
      expect(await limit("api")).toMatchObject({ retryAfter: PERIOD });
    });

    test("brings only a part of a larger capacity", async () => {
      const app = startApp({ api: { ...api, capacity: 50 } });
      expect(await drain(app, "api")).toBe(50);
      at(2 * PERIOD + HOUR);
      expect(await drain(app, "api")).toBe(40);
      at(3 * PERIOD - 1);
      expect(await agreedBalance(app, "api")).toBe(0);
      at(3 * PERIOD);
      expect(await agreedBalance(app, "api")).toBe(20);
    });

    test("begins with a hold, and a release gives back into the same window", async () => {
      const app = startApp({ api });
      const { held, release, limit } = app;
      at(HOUR);
      const id = await held("api", { count: 20 });
      at(2 * HOUR);
      await release(id);
      expect(await agreedBalance(app, "api")).toBe(20);
      await limit("api", { count: 20 });
      expect(await limit("api")).toMatchObject({ retryAfter: PERIOD - HOUR });
    });

    test("stays, if it followed one that a hold began, whatever is given back", async () => {
      const app = startApp({ api: { ...api, capacity: 50 } });
      const id = await app.held("api", { count: 50 });
      at(PERIOD + HOUR);
      await app.limit("api", { count: 5 });
      await app.release(id);
      expect(await agreedBalance(app, "api")).toBe(45);
      at(2 * PERIOD - 1);
      expect(await agreedBalance(app, "api")).toBe(45);
      at(2 * PERIOD);
      expect(await agreedBalance(app, "api")).toBe(50);
    });

    test("gives back nothing of the window before", async () => {
      const app = startApp({ api });
      const { held, release, limit } = app;
      const id = await held("api", { count: 20 });
      at(PERIOD);
      await limit("api", { count: 0 });
      await release(id);
      expect(await agreedBalance(app, "api")).toBe(20);
      expect(await drain(app, "api")).toBe(20);
    });

    test("begins with what a dry run takes", async () => {
      const app = startApp({ api: { ...api, enforce: false } });
      at(HOUR);
      await app.limit("api", { count: 20 });
      at(PERIOD + HOUR - 1);
      expect(await app.limit("api")).toMatchObject({ wouldDeny: true });
      at(PERIOD + HOUR);
      expect(await app.limit("api")).not.toHaveProperty("wouldDeny");
    });

    test("keeps its end when an override changes the capacity", async () => {
      const app = startApp({ api: { ...api, overrides: true } });
      const { limit, setOverride } = app;
      await limit("api", { count: 15 });
      await setOverride("api", { config: { capacity: 3 } });
      at(HOUR);
      expect(await drain(app, "api")).toBe(3);
      await setOverride("api", { config: { capacity: 30, rate: 30 } });
      expect(await agreedBalance(app, "api")).toBe(0);
      at(PERIOD - 1);
      expect(await agreedBalance(app, "api")).toBe(0);
      at(PERIOD);
      expect(await drain(app, "api")).toBe(30);
    });

    test("is granted in a list with others when all of them have ended", async () => {
      const { limitAll, limit } = startApp({ api, other: api });
      await limit("api", { count: 20 });
      at(HOUR);
      await limit("other", { count: 20 });
      const list = [{ name: "api" }, { name: "other" }];
      await expectExactWait(() => limitAll(list), [PERIOD - HOUR]);
    });
  },
);

describe("a deploy", () => {
  const plain = { kind: "fixed window", rate: 20, period: PERIOD } as const;
  const others: [string, LimitConfig][] = [
    ["windows by the clock", { ...plain, start: 0 }],
    ["windows of each key's own", plain],
    ["a token bucket", { ...plain, kind: "token bucket" }],
    ["a calendar", { ...plain, period: "day" }],
  ];
  const changes = others.flatMap(([what, config]) =>
    [1, 4].map((shards): [string, number, RateLimitConfig] => [
      what,
      shards,
      { ...config, shards } as RateLimitConfig,
    ]),
  );

  test.each(changes)(
    "to %s in %d rows, and back, refills nobody",
    async (_, shards, other) => {
      const own = { ...messages, shards };
      at(HOUR);
      const { t, ...before } = startApp({ api: own });
      await before.limit("api", { count: 20 });
      const after = deployed(t, { api: other });
      expect(await agreedBalance(after, "api")).toBe(0);
      const again = deployed(t, { api: own });
      expect(await agreedBalance(again, "api")).toBe(0);
      at(PERIOD + HOUR);
      expect(await drain(again, "api")).toBe(20);
    },
  );

  test.each(changes)(
    "from %s in %d rows refills nobody, and the next window begins with a use",
    async (_, shards, other) => {
      const own = { ...messages, shards };
      at(HOUR);
      const { t, ...before } = startApp({ api: other });
      await before.limit("api", { count: 20 });
      const after = deployed(t, { api: own });
      expect(await agreedBalance(after, "api")).toBe(0);
      at(2 * DAY);
      expect(await drain(after, "api")).toBe(20);
      expect(await after.limit("api")).toMatchObject({ retryAfter: PERIOD });
    },
  );
});

describe("a split key", () => {
  const api = { ...messages, shards: 4 };

  test("stays split, and all of its rows share each window", async () => {
    const app = startApp({ api });
    for (const begin of [0, PERIOD, 2 * PERIOD + 30 * MINUTE]) {
      at(begin);
      await app.limit("api");
      at(begin + HOUR);
      for (let i = 0; i < 12; i++) await app.limit("api");
      const rows = await stored(app.t, "rateLimits");
      expect(rows.find(({ shard }) => shard === 0)).toMatchObject({ into: 4 });
      expect(new Set(rows.map(({ ts }) => ts))).toEqual(
        new Set([MIDNIGHT + begin]),
      );
      expect(await agreedBalance(app, "api")).toBe(7);
    }
  });
});
