import {
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  WEEK,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  stored,
  storedRows,
  useStillClock,
  type HostCtx,
  runVacuum,
} from "../support/host.js";

useStillClock();

const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const limits = {
  api: { ...ten, overrides: true },
  plain: ten,
} as const;
const limiter = new RateLimiter(components.rateLimiter, limits);
const firstPage = { paginationOpts: { numItems: 100, cursor: null } };

type Change = SetOverrideOptions;
type Times = Pick<Change, "startsAt" | "expiresAt">;
type Penalty = Partial<Parameters<typeof limiter.penalize>[2]>;
type Call = (ctx: HostCtx) => Promise<unknown>;
/**
 * A time to wait in ms; a run of the vacuum; how many overrides are stored; or a call, and its
 * answer or the message of its error.
 */
type Step =
  number | "vacuum" | { rows: number } | [call: Call, answer?: unknown];

/** Times are in ms from midnight. */
const set =
  ({ startsAt, expiresAt, ...change }: Change): Call =>
  (ctx) =>
    limiter.setOverride(ctx, "api", {
      ...change,
      ...(startsAt !== undefined && { startsAt: MIDNIGHT + startsAt }),
      ...(expiresAt !== undefined && { expiresAt: MIDNIGHT + expiresAt }),
    });
const clear =
  (key?: string): Call =>
  (ctx) =>
    limiter.clearOverride(ctx, "api", { key });
const take =
  (key: string | undefined = "k", count = 1): Call =>
  (ctx) =>
    limiter.limit(ctx, "api", { key, count });
const takeOf =
  (name: keyof typeof limits, options: object = {}): Call =>
  (ctx) =>
    limiter.limit(ctx, name, options);
const ladder = { bans: [10 * MINUTE, HOUR, DAY, DAY], forgetAfter: WEEK };
const penalize =
  (options: Penalty = {}): Call =>
  (ctx) =>
    limiter.penalize(ctx, "api", { key: "k", ...ladder, ...options });
const listed: Call = async (ctx) =>
  (await limiter.listOverrides(ctx, firstPage)).page;

const granted = { ok: true };
const denied = (retryAfter: number) => ({ ok: false, retryAfter });
const bannedFor = (retryAfter: number) => ({ retryAfter });
const refused = (message: string) => new Error(message);
const like = (some: object[]): unknown =>
  some.map((one) => expect.objectContaining(one) as unknown);

async function play(steps: readonly Step[]) {
  const t = startHost();
  for (const [i, step] of steps.entries()) {
    if (typeof step === "number") vi.setSystemTime(Date.now() + step);
    else if (step === "vacuum") await runVacuum(t);
    else if ("rows" in step) {
      expect(await stored(t, "overrides"), `step ${i}`).toHaveLength(step.rows);
    } else {
      const [call, answer] = step;
      const asked = t.mutation(call);
      if (answer instanceof Error) {
        await expect(asked, `step ${i}`).rejects.toThrow(answer.message);
      } else if (answer === undefined) await asked;
      else expect(await asked, `step ${i}`).toEqual(answer);
    }
  }
  return t;
}

const tell = (stories: Record<string, Step[]>) =>
  test.each(Object.entries(stories))(
    "%s",
    async (_claim, steps) => void (await play(steps)),
  );

describe("an override of the config", () => {
  const lift = { name: "api", key: "k", override: { unlimited: true } };
  const refuses = (config: object, field: string): Step[] => [
    [set({ config }), refused(`Rate limit api: ${field} must be`)],
    [listed, []],
  ];
  tell({
    "changes one key from the next transaction on, until it is cleared": [
      [set({ key: "pro", config: { rate: 20 } })],
      [take("pro", 20), granted],
      [take("pro"), denied(3_000)],
      [take("free", 20), refused("exceeds 10")],
      [clear("pro")],
      [take("pro", 20), refused("exceeds 10")],
    ],
    "may change period and maxReserved": [
      [set({ config: { period: HOUR, maxReserved: 1 } })],
      [
        takeOf("api", { count: 11, reserve: true }),
        { ok: true, retryAfter: HOUR / 10 },
      ],
      [takeOf("api", { reserve: true }), denied(HOUR / 10)],
    ],
    "to a rate of 0 is refused": refuses({ rate: 0 }, "rate"),
    "to a share of 1.1 is refused": refuses({ enforce: 1.1 }, "enforce"),
    "to a debt of -1 is refused": refuses({ maxReserved: -1 }, "maxReserved"),
    "is replaced by the next one, with its expiry and note": [
      [set({ key: "k", deny: true, expiresAt: 5, note: "spam" })],
      [set({ key: "k", unlimited: true, expiresAt: 9 })],
      [listed, [{ ...lift, expiresAt: MIDNIGHT + 9 }]],
    ],
  });
});

describe("a ban or an unlimited override", () => {
  tell({
    "of the whole limit applies to keys without one of their own": [
      [set({ deny: true })],
      [set({ key: "m", unlimited: true })],
      [take("m"), granted],
      ...["a", "z", undefined].map((key): Step => [take(key), denied(MINUTE)]),
    ],
    "of a key leaves the limit's in force until it begins, and once it has ended":
      [
        [set({ config: { rate: 20 } })],
        [set({ key: "k", deny: true, startsAt: HOUR, expiresAt: 2 * HOUR })],
        [take("k", 15), granted],
        HOUR,
        [take("k", 15), denied(HOUR)],
        HOUR,
        [take("k", 15), granted],
      ],
    // The vacuum allows for that.
    "that has ended applies again when the clock steps back 59 minutes": [
      [set({ deny: true, expiresAt: HOUR })],
      HOUR - 1 + 59 * MINUTE,
      "vacuum",
      [take(), granted],
      -59 * MINUTE,
      [take(), denied(1)],
    ],
  });

  test("takes nothing", async () => {
    const full = { limit: 10, remaining: 10, resetAfter: 0 };
    const t = await play([
      [set({ deny: true })],
      [take(), denied(MINUTE)],
      [set({ key: "vip", unlimited: true })],
      [takeOf("api", { key: "vip", count: 1e9 }), granted],
      [takeOf("api", { key: "vip", details: true }), { ...granted, ...full }],
      [(ctx) => limiter.credit(ctx, "api", { key: "vip" }), { credited: 0 }],
      [(ctx) => limiter.charge(ctx, "api", { key: "vip", count: 1e9 }), {}],
    ]);
    expect(await storedRows(t)).toEqual([]);
  });

  test("without end still shows the limit's override below it, by which credits go", async () => {
    const t = await play([
      [set({ config: { rate: 20 } })],
      [set({ key: "k", deny: true })],
    ]);
    const { phases } = await t.query((ctx) =>
      limiter.getValue(ctx, "api", { key: "k" }),
    );
    expect(phases).toMatchObject([
      { effect: "banned", config: { rate: 20, capacity: 20 } },
    ]);
  });
});

test("a limit without overrides: true refuses overrides and ignores stored ones", async () => {
  const message = "overrides must be true in its config";
  const deny = { deny: true } as const;
  const ban = { key: "k", ...ladder };
  const t = await play([
    // @ts-expect-error The types refuse it too.
    [(ctx) => limiter.setOverride(ctx, "plain", deny), refused(message)],
    // @ts-expect-error The types refuse it too.
    [(ctx) => limiter.penalize(ctx, "plain", ban), refused(message)],
  ]);
  const row = { name: "plain", layer: 0, override: deny };
  await inComponent(t, ({ db }) => db.insert("overrides", row));
  expect(await t.mutation(takeOf("plain"))).toEqual(granted);
});

describe("with overrides,", () => {
  const rate = { config: { rate: 9 } };
  const a = { key: "a", ...rate };
  const m = { key: "m", ...rate };

  test.each<[more: number, string, key: string | undefined, Change[]]>([
    [1, "there is none", "m", []],
    [1, "there is one for the limit", "m", [rate]],
    [1, "there is one for the key", "m", [m]],
    [0, "there are both", "m", [{ deny: true }, { key: "m", unlimited: true }]],
    [1, "there is one for a later key", "m", [{ key: "z", ...rate }]],
    [1, "the call has no key", undefined, [a]],
    [1, "the key's own lasts, and another key's is in between", "m", [a, m]],
    [1, "the key's own begins now, likewise", "m", [a, { ...m, startsAt: 0 }]],
    [2, "another key's is in between", "m", [a]],
  ])("a call makes %i more queries when %s", async (more, _, key, others) => {
    const t = await play(others.map((change): Step => [set(change)]));
    const count = (call: Call) =>
      t.mutation(async (ctx) => {
        await call(ctx);
        return (await ctx.meta.getTransactionMetrics()).databaseQueries.used;
      });
    const without = await count(takeOf("plain", { key }));
    expect(await count(takeOf("api", { key }))).toBe(without + more);
  });
});

const ORDER = "expiresAt must be in the future and after startsAt";

/** Times in ms from midnight, and why they are refused. */
test.each<[claim: string, startsAt?: number, expiresAt?: number, no?: string]>([
  ["may have no times"],
  ["may end in the next ms", undefined, 1],
  ["may begin long ago", -MIDNIGHT, 1],
  ["may begin in an hour and end a ms later", HOUR, HOUR + 1],
  ["may begin in an hour, without an end", HOUR],
  ["must not end now", undefined, 0, ORDER],
  ["must not end before now", -2, -1, ORDER],
  ["must not end when it begins", 1, 1, ORDER],
  ["must not begin at NaN", NaN, undefined, "startsAt must be a finite number"],
  [
    "must not end at Infinity",
    0,
    Infinity,
    "expiresAt must be a finite number",
  ],
])("an override %s", async (_, startsAt, expiresAt, no) => {
  const setting = set({ deny: true, startsAt, expiresAt });
  if (no === undefined) return void (await play([[setting, null]]));
  await play([
    [setting, refused(`Rate limit api: ${no}`)],
    [listed, []],
  ]);
});

/** What overrides do, as `listed` shows it: a rate, a ban or a lift. */
const rates = (...of: (number | "ban" | "lift")[]): unknown =>
  like(
    of.map((rate) => ({
      override:
        rate === "ban"
          ? { deny: true }
          : rate === "lift"
            ? { unlimited: true }
            : { config: { rate } },
    })),
  );

describe("a key has one override that lasts and one with an end:", () => {
  const key = "k";
  const ban = (expiresAt: number, startsAt?: number) =>
    set({ key, deny: true, startsAt, expiresAt });
  const plan = (rate: number, times: Times = {}) =>
    set({ key, config: { rate }, ...times });
  const lift = (times: Times) => set({ key, unlimited: true, ...times });

  const anyEnd = { expiresAt: expect.any(Number) as number };

  tell({
    "the one with an end lies over the one that lasts, set before or after it":
      [
        [plan(20)],
        [ban(HOUR)],
        [listed, rates(20, "ban")],
        [take(), denied(HOUR)],
        [plan(30)],
        { rows: 2 },
        [listed, rates(30, "ban")],
        [take(), denied(HOUR)],
        HOUR,
        [take(key, 30), granted],
        [listed, rates(30)],
      ],
    "another one with an end that begins later lifts no ban before it begins": [
      [ban(DAY)],
      [lift({ startsAt: HOUR, expiresAt: 2 * HOUR })],
      { rows: 1 },
      [listed, rates("ban", "lift")],
      [take(key, 40), denied(HOUR)],
      HOUR - 1,
      [take(key, 40), denied(1)],
      1,
      [listed, rates("lift")],
      [take(key, 40), granted],
      HOUR,
      [listed, []],
      [take(key, 10), granted],
      // The ban was replaced for good.
      [lift({ startsAt: 3 * HOUR, expiresAt: DAY })],
      [listed, rates("lift")],
      HOUR - 1,
      [take(key, 10), granted],
    ],
    "a ban ends in its own time, whatever is planned, and whatever was planned before":
      [
        [ban(2 * HOUR)],
        [lift({ startsAt: HOUR, expiresAt: 2 * HOUR })],
        [lift({ startsAt: DAY, expiresAt: WEEK })],
        HOUR,
        [take(key, 10), denied(HOUR)],
        HOUR,
        [listed, rates("lift")],
        [take(key, 10), granted],
        [take(key, 20), denied(DAY - 2 * HOUR)],
      ],
    "the fields of their configs are not merged": [
      [set({ key, config: { capacity: 30 } })],
      [plan(20, { expiresAt: HOUR })],
      [take(key, 20), granted],
      [take(key), denied(3_000)],
    ],
    "one that is to last leaves the one before it until it begins": [
      [plan(20)],
      [ban(HOUR)],
      [plan(40, { startsAt: DAY })],
      { rows: 2 },
      [listed, rates(20, 40, "ban")],
      [take(), denied(HOUR)],
      DAY - 1,
      [take(key, 21), denied(1)],
      [take(key, 20), granted],
      1,
      [listed, rates(40)],
      MINUTE,
      [take(key, 40), granted],
    ],
    "another one that is to last takes its place, and leaves the same one until then":
      [
        [plan(20)],
        [plan(40, { startsAt: HOUR })],
        [plan(60, { startsAt: DAY })],
        { rows: 1 },
        [listed, rates(20, 60)],
        // It has no end of its own.
        [listed, [expect.not.objectContaining(anyEnd), expect.anything()]],
        DAY,
        [plan(80, { startsAt: WEEK })],
        [listed, rates(60, 80)],
      ],
    "one that is to last, where none does, leaves the limit as it is until then":
      [
        [plan(40, { startsAt: HOUR })],
        [plan(20, { startsAt: HOUR })],
        [listed, rates(20)],
        [take(key, 10), granted],
        HOUR,
        [take(key, 20), granted],
      ],
    "one that has begun applies again when the clock steps back, and so does the one before it":
      [
        [set({ key, deny: true })],
        [lift({ startsAt: HOUR })],
        HOUR,
        [take(key, 1000), granted],
        -1,
        [take(), denied(1)],
      ],
    "one set later replaces its like even if the clock has stepped back": [
      HOUR,
      [plan(20)],
      [ban(2 * HOUR)],
      -HOUR,
      [plan(30)],
      [ban(DAY)],
      [take(), denied(DAY)],
      DAY,
      [take(key, 30), granted],
    ],
    "a ban by penalize lies over both, and each returns after it": [
      [plan(20)],
      [plan(40, { expiresAt: 2 * DAY })],
      [penalize({ bans: [DAY] })],
      { rows: 3 },
      [listed, rates(20, 40, "ban")],
      [take(), denied(DAY)],
      DAY,
      [take(key, 40), granted],
      DAY,
      [take(key, 20), granted],
    ],
    "the key's own lie over those of the whole limit": [
      [plan(20)],
      [plan(40, { expiresAt: HOUR })],
      [set({ deny: true })],
      [set({ config: { rate: 1 }, expiresAt: DAY })],
      [take(key, 40), granted],
      [take("other", 1), granted],
      [take("other", 1), denied(MINUTE)],
      HOUR,
      [take(key, 20), granted],
      DAY,
      [take("other"), denied(MINUTE)],
    ],
    "the vacuum deletes only the one that has ended": [
      [plan(20)],
      [plan(40, { startsAt: WEEK })],
      [ban(HOUR)],
      2 * HOUR + 1,
      "vacuum",
      { rows: 1 },
      [take(key, 20), granted],
      [listed, rates(20, 40)],
    ],
  });
});

describe("a ban by penalize", () => {
  const lasting = 10 * MINUTE;
  const refuses = (options: Penalty, message: string): Step => [
    penalize(options),
    refused(message),
  ];
  const ban = {
    ...{ name: "api", key: "k", override: { deny: true } },
    ...{ startsAt: MIDNIGHT, expiresAt: MIDNIGHT + lasting },
  };
  tell({
    "holds for one key, exactly to its end": [
      [penalize(), bannedFor(lasting)],
      [take(), denied(lasting)],
      [take("other"), granted],
      lasting - 1,
      [take(), denied(1)],
      1,
      [take(), granted],
    ],
    "is longer each time, up to the last in the list": [
      ...[lasting, HOUR, DAY, DAY, DAY].flatMap((ban): Step[] => [
        [penalize(), bannedFor(ban)],
        [take(), denied(ban)],
        ban + HOUR,
        [take(), granted],
      ]),
    ],
    "is longer even during a ban, and counts from now": [
      [penalize()],
      4 * MINUTE,
      [penalize(), bannedFor(HOUR)],
      MINUTE,
      [penalize(), bannedFor(DAY)],
      [take(), denied(DAY)],
      [listed, expect.objectContaining({ length: 1 })],
    ],
    "never ends earlier because of a shorter list": [
      [penalize({ bans: [DAY] })],
      [penalize({ bans: [MINUTE] }), bannedFor(DAY)],
      [take(), denied(DAY)],
    ],
    "is forgotten at the end of forgetAfter": [
      [penalize()],
      lasting + WEEK,
      [penalize(), bannedFor(lasting)],
    ],
    "is forgotten when it ends with forgetAfter: 0": [
      [penalize({ forgetAfter: 0 })],
      [penalize({ forgetAfter: 0 }), bannedFor(HOUR)],
      HOUR,
      [penalize({ forgetAfter: 0 }), bannedFor(lasting)],
    ],
    "is forgotten by clearOverride with all others, during the ban and after": [
      [set({ key: "k", config: { rate: 20 }, startsAt: MINUTE })],
      [penalize()],
      [clear("k")],
      { rows: 0 },
      [take(), granted],
      [penalize(), bannedFor(lasting)],
      HOUR,
      [clear("k")],
      [penalize(), bannedFor(lasting)],
    ],
    "holds to its end and is remembered, whatever override is set or begins meanwhile":
      [
        [set({ key: "k", config: { rate: 20 }, startsAt: MINUTE })],
        [penalize()],
        MINUTE,
        [set({ key: "k", unlimited: true, expiresAt: DAY })],
        [take(), denied(9 * MINUTE)],
        9 * MINUTE - 1,
        [take(), denied(1)],
        1,
        [take("k", 1000), granted],
        [set({ key: "k", unlimited: true })],
        [penalize(), bannedFor(HOUR)],
        [take(), denied(HOUR)],
      ],
    "is listed by listOverrides until it ends, with the note of the last call":
      [
        [penalize({ note: "Spam.", bans: [lasting] })],
        [listed, like([{ note: "Spam." }])],
        [penalize({ bans: [lasting] })],
        [listed, [{ ...ban, bans: 2, forgetAt: MIDNIGHT + lasting + WEEK }]],
        lasting,
        [listed, []],
      ],
    "is refused if its options are bad": [
      refuses({ bans: [] }, "bans must be a list of at least one time in ms"),
      refuses({ bans: [0] }, "bans[0] must be a finite number above 0"),
      refuses({ bans: [1, NaN] }, "bans[1] must be a finite number above 0"),
      refuses({ bans: [HOUR, MINUTE] }, "bans[1] must be at least 3600000"),
      refuses({ forgetAfter: -1 }, "forgetAfter must be a finite number of"),
      refuses({ key: undefined }, "key"),
      [listed, []],
    ],
    "is remembered until the end of forgetAfter, even by the vacuum": [
      [penalize()],
      lasting + WEEK - 1,
      "vacuum",
      [penalize(), bannedFor(HOUR)],
      HOUR + WEEK + HOUR,
      "vacuum",
      { rows: 1 },
      1,
      "vacuum",
      { rows: 0 },
    ],
  });
});

describe("with the same once, a second call", () => {
  const once = "a retry";
  tell({
    "of penalize bans no longer, and tells what is left of the ban": [
      [penalize({ once }), bannedFor(10 * MINUTE)],
      MINUTE,
      [penalize({ once }), bannedFor(9 * MINUTE)],
      [take(), denied(9 * MINUTE)],
      HOUR,
      [penalize({ once }), bannedFor(0)],
      [take(), granted],
      [penalize({ once: "another" }), bannedFor(HOUR)],
      [penalize({ once, key: "other" }), bannedFor(10 * MINUTE)],
    ],
    "of setOverride changes nothing, also while another is to follow": [
      [set({ key: "k", deny: true, expiresAt: MINUTE, once })],
      [set({ key: "k", deny: true, expiresAt: HOUR, once })],
      [take(), denied(MINUTE)],
      MINUTE,
      [take(), granted],
      [set({ key: "k", unlimited: true, once })],
      [set({ key: "k", deny: true, startsAt: HOUR })],
      [set({ key: "k", config: { rate: 1 }, once })],
      [listed, rates("lift", "ban")],
      [set({ key: "other", deny: true, once })],
      [take("other"), { ok: false, retryAfter: expect.any(Number) as number }],
    ],
    "changes nothing of its own sort only": [
      [penalize({ once, bans: [1] })],
      [set({ key: "k", config: { rate: 20 }, once })],
      1,
      [take("k", 20), granted],
    ],
    "is carried out if the first one's override is gone": [
      [penalize({ once })],
      [clear("k")],
      [penalize({ once }), bannedFor(10 * MINUTE)],
    ],
    "is refused if the id is empty": [
      [penalize({ once: "" }), refused("once must be a non-empty string")],
    ],
  });
});
