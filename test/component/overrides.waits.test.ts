import {
  DAY,
  HOUR,
  isExceedsCapacityError,
  MINUTE,
  type SetOverrideOptions,
  type RateLimitConfig,
  type RefillingConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import {
  bucket,
  expectExactWait,
  startApp,
  type App,
} from "../support/startApp.js";

useStillClock();

const name = "api";
const key = "k";

const hourly = { period: HOUR, overrides: true };
const tenAnHour: RateLimitConfig = { ...bucket(10), ...hourly };

/** Times in ms from midnight. */
type Change = SetOverrideOptions & { from?: number; to?: number };

/** A limit, what is taken from it at midnight, and its overrides. */
type Story = {
  config?: RefillingConfig;
  /** Overrides set before anything is taken. */
  before?: Change[];
  taken?: number;
  /** Overrides set after the tokens are taken. */
  changes?: Change[];
};

async function tell({ config = tenAnHour, before, taken, changes }: Story) {
  const app = startApp({ [name]: config });
  const set = ({ from, to, ...change }: Change) =>
    app.setOverride(name, {
      ...change,
      startsAt: from === undefined ? undefined : MIDNIGHT + from,
      expiresAt: to === undefined ? undefined : MIDNIGHT + to,
    });
  for (const change of before ?? []) await set(change);
  if (taken !== undefined) await app.limit(name, { key, count: taken });
  for (const change of changes ?? []) await set(change);
  return app;
}

/** The times at which overrides begin and end. */
const boundaries = ({ before = [], changes = [] }: Story) =>
  [...before, ...changes]
    .flatMap(({ from, to }) => [from, to])
    .filter((time) => time !== undefined);

const deny = true as const;
const unlimited = true as const;

const ban = (to: number, from?: number): Change => ({ key, deny, from, to });
const lift = (from: number): Change => ({ key, unlimited, from });
const capacity = (tokens: number) => ({ config: { capacity: tokens } });

/** Stories of a limit from which nothing was taken, or everything. */
const unused = (...changes: Change[]): Story => ({ changes });
const emptied = (...changes: Change[]): Story => ({ taken: 10, changes });

const byDay = {
  kind: "fixed window",
  rate: 10,
  period: "day",
  timeZone: "Asia/Kolkata",
  overrides: true,
} as const;
/** Until midnight in Kolkata. */
const TODAY = 18.5 * HOUR;

type Waiting = { story: Story; count: number; wait: number };

describe.each`
  what                                                                | story                                                                                 | count   | wait
  ${"a ban of an hour over an empty bucket of one a day"}             | ${{ config: { ...tenAnHour, rate: 1, period: DAY }, taken: 1, changes: [ban(HOUR)] }} | ${1}    | ${DAY}
  ${"an unlimited limit after the key's ban"}                         | ${emptied({ unlimited }, ban(MINUTE))}                                                | ${7}    | ${MINUTE}
  ${"a ban that begins when the tokens would be there"}               | ${emptied(ban(40 * MINUTE, 20 * MINUTE))}                                             | ${5}    | ${40 * MINUTE}
  ${"a ban that begins at the very ms at which the tokens are there"} | ${emptied(ban(40 * MINUTE, 18 * MINUTE))}                                             | ${3}    | ${40 * MINUTE}
  ${"an unlimited override to come, for a count above the capacity"}  | ${unused(lift(MINUTE))}                                                               | ${1000} | ${MINUTE}
  ${"a lowered capacity below the count, of an unused key"}           | ${unused({ key, ...capacity(5), to: HOUR })}                                          | ${8}    | ${HOUR}
  ${"the limit's raised capacity after the key's ban"}                | ${unused(capacity(100), ban(HOUR))}                                                   | ${50}   | ${HOUR}
  ${"the limit's raised capacity after a lower one of the key"}       | ${unused(capacity(100), { key, ...capacity(5), to: HOUR })}                           | ${50}   | ${HOUR}
  ${"the next day"}                                                   | ${{ ...emptied(), config: byDay }}                                                    | ${10}   | ${TODAY}
  ${"a third day"}                                                    | ${{ config: byDay, before: [capacity(30)], taken: 30 }}                               | ${15}   | ${TODAY + DAY}
  ${"a ban until after the next day begins"}                          | ${{ ...emptied(ban(TODAY + 1)), config: byDay }}                                      | ${1}    | ${TODAY + 1}
`("a request that waits for $what", ({ story, count, wait }: Waiting) => {
  test("is denied exactly until then", async () => {
    const app = await tell(story);
    const moments = boundaries(story).flatMap((time) => [time - 1, time]);
    const ask = () => app.limit(name, { key, count });
    expect(await expectExactWait(ask, moments)).toBe(wait);
  });

  test("is shown right at each ms by a page that gets no update", async () => {
    const moments = around([...boundaries(story), wait]);
    await expectPageRight(await tell(story), count, moments);
  });
});

/** The server's answer. `retryAt` is `Infinity` if it never grants. */
async function serverStatus({ check }: App, count: number) {
  try {
    const { ok, retryAfter } = await check(name, { key, count });
    const retryAt =
      retryAfter === undefined ? undefined : Date.now() + retryAfter;
    return { ok, retryAt };
  } catch (error) {
    if (!isExceedsCapacityError(error)) throw error;
    return { ok: false, retryAt: Infinity };
  }
}

/**
 * Expects a page that reads the balance now to agree with the server at each moment, and to wake no later than its
 * status changes.
 */
async function expectPageRight(
  app: App,
  count: number,
  moments: readonly number[],
): Promise<void> {
  const from = Date.now();
  const told = await app.getValue(name, { key });
  const check = createCheck(told, 0, Date.now);
  let shown: { ok: boolean; until: number } | undefined;
  for (const moment of [...new Set(moments)].sort((a, b) => a - b)) {
    const now = from + moment;
    vi.setSystemTime(now);
    const server = await serverStatus(app, count);
    const { value, until } = rateLimitAt(check, count, now);
    expect(value.status, `after ${moment} ms`).toEqual(server);
    const { remaining } = await app.details(name, { key });
    expect(value.remaining, `after ${moment} ms`).toBe(remaining);
    expect(check(now, count)).toMatchObject(server);
    if (shown !== undefined && shown.ok !== server.ok) {
      expect(shown.until).toBeLessThanOrEqual(now);
    }
    shown = { ok: server.ok, until };
  }
}

/** The ms around each of these times, and some others. */
const around = (times: number[]) =>
  [0, 12_345, 30 * DAY].concat(
    times.flatMap((time) => [time - 1, time, time + MINUTE]),
  );

describe("a page that gets no update", () => {
  test.each<[string, Story]>([
    ["a ban with an end, of a full key", unused(ban(HOUR))],
    ["an unlimited hour", unused({ key, unlimited, to: HOUR })],
    [
      "a lowered capacity for a minute",
      { taken: 2, changes: [{ key, ...capacity(5), to: MINUTE }] },
    ],
    [
      "a lowered capacity that unlimited is to replace",
      unused({ key, ...capacity(5) }, lift(MINUTE)),
    ],
    [
      "a ban with an end, over many rows",
      { ...emptied(ban(MINUTE)), config: { ...tenAnHour, shards: 5 } },
    ],
  ])("is right at each ms: %s", async (_, story) => {
    for (const count of [1, 1000]) {
      vi.setSystemTime(MIDNIGHT);
      const app = await tell(story);
      await expectPageRight(app, count, around(boundaries(story)));
    }
  });
});

test("a wait that outlasts an override of a split limit goes by the stored rows", async () => {
  const shards = 2;
  const app = await tell({
    config: { ...tenAnHour, shards },
    // One row holds 3 of 5, and the other one is full.
    taken: 2,
    changes: [{ config: { rate: 5 }, to: 12 * MINUTE }],
  });
  const ask = () => app.check(name, { key, count: 9.5 });
  expect(await expectExactWait(ask)).toBe(18 * MINUTE);
});
