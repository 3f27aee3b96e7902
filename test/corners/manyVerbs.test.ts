import {
  calculateRateLimit,
  isExceedsCapacityError,
  MINUTE,
  type RateLimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { freezeClock, MIDNIGHT, useStillClock, type HostCtx } from "../host.js";
import { agreedBalance, runVacuum, startApp, type App } from "./app.js";
import { seedRandom } from "../seed.js";
import { Model, type Ask, type ModelOverride } from "../model.js";

useStillClock();

/** FC_TIMES=100 runs each property a hundred times as often. */
const times = Number(process.env.FC_TIMES ?? 1);
const patience = { timeout: 30_000 * times };

type Call =
  | { verb: "limit" | "check"; of: Of; ask: Ask; details: boolean }
  | { verb: "limitAll" | "checkAll"; items: { of: Of; ask: Ask }[] }
  | { verb: "credit" | "charge"; of: Of; count: number }
  | { verb: "reset" | "getValue"; of: Of }
  | { verb: "clear"; name: Name; key: Key }
  | {
      verb: "override";
      name: Name;
      key: Key;
      change: ModelOverride["change"];
      startsIn: number | undefined;
      lasts: number | undefined;
    };

type Name = "one" | "two";
type Key = "k" | "l" | undefined;
/** A limit and one of its keys. */
type Of = "one k" | "one l" | "two";

const subjects: Record<Of, { name: Name; key: Key }> = {
  "one k": { name: "one", key: "k" },
  "one l": { name: "one", key: "l" },
  two: { name: "two", key: undefined },
};

type Transaction = {
  /** How far the clock moves before it, backwards too, in ms. */
  move: number;
  vacuum: boolean;
  calls: Call[];
  /** Whether the host throws at its end, so that nothing of it counts. */
  throws: boolean;
};

type Life = {
  configs: Record<Name, RateLimitConfig>;
  transactions: Transaction[];
  seed: number;
};

/** Quarters of a token, which the model counts exactly. */
const quarters = (min: number, max: number) =>
  fc.integer({ min: min * 4, max: max * 4 }).map((n) => n / 4);

const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined });

const aConfig = (
  period: fc.Arbitrary<number>,
  shards: fc.Arbitrary<number>,
  applyUpdates?: RateLimitConfig["applyUpdates"],
): fc.Arbitrary<RateLimitConfig> =>
  fc
    .record({
      kind: fc.constantFrom<RateLimitConfig["kind"]>(
        "token bucket",
        "fixed window",
      ),
      rate: quarters(0.25, 12),
      period,
      capacity: optional(quarters(0, 20)),
      maxReserved: optional(quarters(0, 15)),
      shards,
      start: fc.integer({ min: -70_000, max: 70_000 }),
    })
    .map(({ kind, start, ...numbers }) => {
      const common = { ...numbers, overrides: true, applyUpdates };
      return kind === "token bucket"
        ? { kind, ...common }
        : { kind, ...common, start };
    });

const of = fc.constantFrom<Of>("one k", "one l", "two");
const aCount = fc.oneof(fc.constant(1), quarters(0, 10));
const anAsk: fc.Arbitrary<Ask> = fc.record({
  count: aCount,
  reserve: fc.nat({ max: 3 }).map((n) => n === 0),
});

const aChange = fc.oneof(
  fc.constant({ deny: true as const }),
  fc.constant({ unlimited: true as const }),
  fc.record({ config: fc.record({ capacity: quarters(0, 30) }) }),
  fc.record({ config: fc.record({ rate: quarters(0.25, 12) }) }),
);

const overriding: fc.Arbitrary<Call> = fc.oneof(
  fc
    .record({
      verb: fc.constant("override" as const),
      whose: fc.constantFrom<{ name: Name; key: Key }>(
        { name: "one", key: undefined },
        ...Object.values(subjects),
      ),
      change: aChange,
      startsIn: optional(fc.integer({ min: 1, max: 3 * MINUTE })),
      lasts: optional(fc.integer({ min: 1, max: 5 * MINUTE })),
    })
    .map(({ whose, ...call }) => {
      // When a ban without end begins only later, or lies behind another, it is not
      // settled what a request that refill would meet too late is told.
      const needsEnd =
        "deny" in call.change &&
        (whose.key === undefined || call.startsIn !== undefined);
      const lasts = call.lasts ?? (needsEnd ? MINUTE : undefined);
      return { ...call, ...whose, lasts };
    }),
  fc
    .constantFrom<{ name: Name; key: Key }>(
      { name: "one", key: undefined },
      ...Object.values(subjects),
    )
    .map((whose) => ({ verb: "clear" as const, ...whose })),
);

const taking: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      verb: fc.constantFrom("limit" as const, "check" as const),
      of,
      ask: anAsk,
      details: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constantFrom("limitAll" as const, "checkAll" as const),
      items: fc.array(fc.record({ of, ask: anAsk }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      verb: fc.constantFrom("credit" as const, "charge" as const),
      of,
      count: quarters(0.25, 12),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constantFrom("reset" as const, "getValue" as const),
      of,
    }),
  },
);

const aMove = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 10 * MINUTE }) },
  { weight: 1, arbitrary: fc.integer({ min: -5 * MINUTE, max: -1 }) },
  { weight: 1, arbitrary: fc.constant(3 * 60 * MINUTE) },
);

const aLife = (
  config: fc.Arbitrary<RateLimitConfig>,
  aCall: fc.Arbitrary<Call>,
): fc.Arbitrary<Life> =>
  fc.record({
    configs: fc.record({ one: config, two: config }),
    transactions: fc.array(
      fc.record({
        move: aMove,
        vacuum: fc.nat({ max: 5 }).map((n) => n === 0),
        calls: fc.array(aCall, { minLength: 1, maxLength: 4 }),
        throws: fc.nat({ max: 7 }).map((n) => n === 0),
      }),
      { minLength: 1, maxLength: 10 },
    ),
    seed: fc.integer(),
  });

const withOverrides = fc.oneof(
  { weight: 5, arbitrary: taking },
  { weight: 1, arbitrary: overriding },
);

class Halfway extends Error {}

/** An app beside a model of each limit and key. */
class Comparison {
  readonly app: App;
  readonly models: Record<Of, Model>;

  constructor(configs: Life["configs"]) {
    this.app = startApp(configs);
    this.models = {
      "one k": new Model(configs.one),
      "one l": new Model(configs.one),
      two: new Model(configs.two),
    };
  }

  copies(): Record<Of, Model> {
    return {
      "one k": this.models["one k"].copy(),
      "one l": this.models["one l"].copy(),
      two: this.models.two.copy(),
    };
  }

  restore(copies: Record<Of, Model>): void {
    for (const id of ids) this.models[id].restore(copies[id]);
  }

  /** The models that an override of this limit and key is for. */
  touched({ name, key }: { name: Name; key: Key }) {
    const isForAll = name === "one" && key === undefined;
    return ids
      .filter((id) => subjects[id].name === name)
      .filter((id) => isForAll || subjects[id].key === key)
      .map((id) => ({
        model: this.models[id],
        slot: isForAll
          ? ("limitOverrides" as const)
          : ("keyOverrides" as const),
      }));
  }
}

const ids = ["one k", "one l", "two"] as const;

/** What a verb returns; "exceeds" for the error that says that it is never granted. */
async function answered<T>(call: Promise<T>): Promise<T | "exceeds"> {
  try {
    return await call;
  } catch (error) {
    if (isExceedsCapacityError(error)) return "exceeds";
    throw error;
  }
}

/**
 * Plays a life on an app. `play` puts one call to it and to the models; `after` looks at
 * what a transaction has left.
 */
async function live(
  { configs, transactions, seed }: Life,
  play: (world: Comparison, ctx: HostCtx, call: Call) => Promise<void>,
  after: (world: Comparison) => Promise<void>,
): Promise<void> {
  freezeClock(MIDNIGHT);
  seedRandom(seed);
  const world = new Comparison(configs);
  let latest = MIDNIGHT;
  for (const { move, vacuum, calls, throws } of transactions) {
    // The vacuum's grace covers clocks that step back by less than an hour.
    const now = Math.max(Date.now() + move, latest - 50 * MINUTE);
    latest = Math.max(latest, now);
    vi.setSystemTime(now);
    if (vacuum) await runVacuum(world.app);
    const before = world.copies();
    await world.app
      .mutate(async (ctx) => {
        for (const call of calls) await play(world, ctx, call);
        if (throws) throw new Halfway();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Halfway)) throw error;
        world.restore(before);
      });
    await after(world);
  }
}

/** Sets or clears an override, in the app and in the models. */
async function playOverride(
  world: Comparison,
  ctx: HostCtx,
  call: Extract<Call, { verb: "override" | "clear" }>,
): Promise<void> {
  const { limiter } = world.app;
  const { name, key } = call;
  if (call.verb === "clear") {
    for (const { model, slot } of world.touched(call)) model[slot] = [];
    return limiter.clearOverride(ctx, name, { key });
  }
  const { change, startsIn, lasts } = call;
  const from = Date.now() + (startsIn ?? 0);
  const to = lasts === undefined ? Infinity : from + lasts;
  for (const { model, slot } of world.touched(call)) {
    model.override(
      slot,
      { change, from: startsIn === undefined ? -Infinity : from, to },
      Date.now(),
    );
  }
  await limiter.setOverride(ctx, name, {
    key,
    ...change,
    startsAt: startsIn === undefined ? undefined : from,
    expiresAt: lasts === undefined ? undefined : to,
  });
}

type Items = { of: Of; ask: Ask }[];

const named = (items: Items) =>
  items.map((item) => ({ ...subjects[item.of], ...item.ask }));

/**
 * What a list comes to: decided one after the other, taken only if all are granted.
 * "unclear" if what is asked of one limit is possible one by one and never together.
 */
function askAll(
  models: Record<Of, Model>,
  items: Items,
  now: number,
): Decided | "exceeds" | "unclear" {
  const used = ids.filter((id) => items.some((item) => item.of === id));
  const asked = (id: Of) =>
    items.filter((item) => item.of === id).map(({ ask }) => ask);
  const never = (asks: Ask[], id: Of) =>
    !models[id].fits(asks, now) && models[id].denial(asks, now) === "exceeds";
  if (items.some((item) => never([item.ask], item.of))) return "exceeds";
  if (used.some((id) => never(asked(id), id))) return "unclear";

  const refused = items.findIndex(({ of }, i) => {
    const soFar = items.slice(0, i + 1).filter((item) => item.of === of);
    return !models[of].fits(
      soFar.map(({ ask }) => ask),
      now,
    );
  });
  if (refused === -1) {
    const waits = items.map((item) => {
      const answer = models[item.of].ask(item.ask, now);
      return answer === "exceeds" ? 0 : (answer.retryAfter ?? 0);
    });
    const retryAfter = Math.max(...waits);
    return retryAfter === 0 ? { ok: true } : { ok: true, retryAfter };
  }
  const waits = used
    .filter((id) => !models[id].fits(asked(id), now))
    .map((id) => models[id].denial(asked(id), now))
    .map((denial) => (denial === "exceeds" ? Infinity : denial.retryAfter));
  return {
    ok: false,
    retryAfter: Math.max(...waits),
    blockedBy: { index: refused, name: subjects[items[refused]!.of].name },
  };
}

type Decided = {
  ok: boolean;
  retryAfter?: number;
  blockedBy?: { index: number; name: string };
};

/** An answer without its details. */
function decision(answer: Decided | "exceeds"): Decided | "exceeds" {
  if (answer === "exceeds") return answer;
  const { ok, retryAfter, blockedBy } = answer;
  return { ok, retryAfter, blockedBy };
}

/** What details say of a model; of a ban or of no limit it is not said here. */
function expectedDetails(model: Model, now: number) {
  if (model.mode(now) !== "limited") return {};
  return {
    limit: model.capacity(now),
    remaining: Math.max(0, Math.floor(model.balance(now))),
    ...(!model.changesAfter(now) && { resetAfter: model.fullAfter(now) }),
  };
}

/** One call of a limit that is not split: every answer is the model's. */
async function playExactly(
  world: Comparison,
  ctx: HostCtx,
  call: Call,
): Promise<void> {
  const { app, models } = world;
  const { limiter } = app;
  const now = Date.now();
  switch (call.verb) {
    case "override":
    case "clear":
      return playOverride(world, ctx, call);
    case "limit":
    case "check": {
      const { name, key } = subjects[call.of];
      const { details } = call;
      const model = models[call.of];
      const options = { key, ...call.ask, details };
      const got = await answered(
        call.verb === "limit"
          ? limiter.limit(ctx, name, options)
          : limiter.check(ctx, name, options),
      );
      const asked = call.verb === "limit" ? model : model.copy();
      const wanted = asked.ask(call.ask, now);
      expect(decision(got)).toEqual(decision(wanted));
      if (got === "exceeds" || !details) return;
      return expect(got).toMatchObject(expectedDetails(asked, now));
    }
    case "limitAll":
    case "checkAll": {
      const asked = call.verb === "limitAll" ? models : world.copies();
      const wanted = askAll(asked, call.items, now);
      if (wanted === "unclear") return;
      const list = named(call.items);
      const got = await answered(
        call.verb === "limitAll"
          ? limiter.limitAll(ctx, list, { details: true })
          : limiter.checkAll(ctx, list, { details: true }),
      );
      expect(decision(got)).toEqual(decision(wanted));
      if (got === "exceeds") return;
      if (call.items.some(({ of }) => asked[of].mode(now) !== "limited"))
        return;
      const balances = call.items.map(({ of }) => asked[of].balance(now));
      const remaining = Math.max(0, Math.floor(Math.min(...balances)));
      return expect(got).toMatchObject({ remaining });
    }
    case "credit": {
      const { name, key } = subjects[call.of];
      const { count } = call;
      const { credited } = await limiter.credit(ctx, name, { key, count });
      const wanted = models[call.of].credit(count, now);
      return expect(credited).toBeCloseTo(wanted, 6);
    }
    case "charge": {
      const { name, key } = subjects[call.of];
      const { count } = call;
      const got = await limiter.charge(ctx, name, { key, count });
      return expect(got).toEqual(models[call.of].charge(count, now));
    }
    case "reset": {
      const { name, key } = subjects[call.of];
      models[call.of].reset();
      return limiter.reset(ctx, name, { key });
    }
    case "getValue": {
      const { name, key } = subjects[call.of];
      const model = models[call.of];
      const told = await limiter.getValue(ctx, name, { key });
      if (model.mode(now) !== "limited") return;
      const { value } = calculateRateLimit(told, told.config, now);
      return expect(value).toBeCloseTo(model.balance(now), 6);
    }
  }
}

/** What everyone is told between two transactions is the model's balance. */
async function expectSameBalances({ app, models }: Comparison): Promise<void> {
  const now = Date.now();
  for (const id of ids) {
    if (models[id].mode(now) !== "limited") continue;
    const { name, key } = subjects[id];
    const balance = await agreedBalance(app, name, { key });
    expect(balance, id).toBeCloseTo(models[id].balance(now), 6);
  }
}

const periods = fc.constantFrom(1000, 4000, MINUTE);

describe.each([
  ["that is not split", fc.constant(1), undefined],
  ["that is applied asynchronously", fc.nat({ max: 4 }), "asynchronously"],
] as const)(
  "a limit %s answers one caller as a number and a time",
  (_, more, applyUpdates) => {
    const shards = more.map((n) => Math.max(1, n));
    const config = aConfig(periods, shards, applyUpdates);

    test("whatever is called in whatever transaction", patience, async () => {
      await fc.assert(
        fc.asyncProperty(aLife(config, taking), (life) =>
          live(life, playExactly, expectSameBalances),
        ),
        { numRuns: 8 * times },
      );
    });

    test(
      "with overrides that are set, begin, end and are cleared",
      patience,
      async () => {
        await fc.assert(
          fc.asyncProperty(aLife(config, withOverrides), (life) =>
            live(life, playExactly, expectSameBalances),
          ),
          { numRuns: 8 * times },
        );
      },
    );
  },
);

/**
 * One call of a limit that is split. It takes no more than a model that is not split
 * would give, and it decides by the balance that is told.
 */
async function playWithin(
  world: Comparison,
  ctx: HostCtx,
  call: Call,
): Promise<void> {
  const { app, models } = world;
  const { limiter } = app;
  const now = Date.now();
  const told = async (id: Of) => {
    const { name, key } = subjects[id];
    const value = await limiter.getValue(ctx, name, { key });
    return calculateRateLimit(value, value.config, now).value;
  };
  switch (call.verb) {
    case "override":
    case "clear":
      return playOverride(world, ctx, call);
    case "limit":
    case "check": {
      const { name, key } = subjects[call.of];
      const { ask } = call;
      const model = models[call.of];
      const isLimited = model.mode(now) === "limited";
      const before = isLimited ? await told(call.of) : 0;
      const options = { key, ...ask, details: true };
      const got = await answered(
        call.verb === "limit"
          ? limiter.limit(ctx, name, options)
          : limiter.check(ctx, name, options),
      );
      if (got === "exceeds") return;
      const most = ask.reserve ? (model.config.maxReserved ?? Infinity) : 0;
      const left = before - ask.count;
      if (isLimited) {
        expect(got.ok, `${ask.count} of ${before}`).toBe(left >= -most - 1e-6);
      }
      const asked = call.verb === "limit" ? model : model.copy();
      if (got.ok) {
        const allowed = asked.ask(ask, now);
        expect(allowed, "without shards").toMatchObject({ ok: true });
        const soonest = allowed === "exceeds" ? 0 : (allowed.retryAfter ?? 0);
        expect(got.retryAfter ?? 0).toBeGreaterThanOrEqual(soonest);
      }
      if (!isLimited) return;
      const after = got.ok ? left : before;
      return expect(got).toMatchObject({
        limit: model.capacity(now),
        remaining: Math.max(0, Math.floor(after + 1e-6)),
      });
    }
    case "limitAll":
    case "checkAll": {
      const asked = call.verb === "limitAll" ? models : world.copies();
      const list = named(call.items);
      const got = await answered(
        call.verb === "limitAll"
          ? limiter.limitAll(ctx, list, { details: true })
          : limiter.checkAll(ctx, list, { details: true }),
      );
      if (got === "exceeds" || !got.ok) return;
      return expect(askAll(asked, call.items, now)).toMatchObject({ ok: true });
    }
    case "credit": {
      const { name, key } = subjects[call.of];
      const { count } = call;
      const before = await told(call.of);
      const { credited } = await limiter.credit(ctx, name, { key, count });
      const least = models[call.of].credit(count, now);
      expect(credited).toBeGreaterThanOrEqual(least - 1e-6);
      if (models[call.of].mode(now) !== "limited") return;
      return expect(await told(call.of)).toBeCloseTo(before + credited, 6);
    }
    case "charge": {
      const { name, key } = subjects[call.of];
      const { count } = call;
      const before = await told(call.of);
      const { retryAfter = 0 } = await limiter.charge(ctx, name, {
        key,
        count,
      });
      const { retryAfter: soonest = 0 } = models[call.of].charge(count, now);
      expect(retryAfter).toBeGreaterThanOrEqual(soonest);
      if (models[call.of].mode(now) !== "limited") return;
      return expect(await told(call.of)).toBeCloseTo(before - count, 6);
    }
    case "reset": {
      const { name, key } = subjects[call.of];
      models[call.of].reset();
      return limiter.reset(ctx, name, { key });
    }
    case "getValue":
      return;
  }
}

/**
 * Between two transactions everyone is told the same balance, and no more than the
 * model's. What would be denied is granted at its `retryAfter`, and not 1 ms before.
 */
async function expectBounded({ app, models }: Comparison): Promise<void> {
  const now = Date.now();
  for (const id of ids) {
    if (models[id].mode(now) !== "limited") continue;
    const { name, key } = subjects[id];
    const balance = await agreedBalance(app, name, { key });
    const most = models[id].balance(now);
    expect(balance, id).toBeLessThanOrEqual(most + 1e-6);
    const capacity = models[id].capacity(now);
    if (balance >= capacity - 1e-6) continue;
    const count = Math.max(0.25, Math.min(capacity, Math.ceil(balance) + 1));
    const asked = await answered(app.check(name, { key, count }));
    if (asked === "exceeds") continue;
    expect(asked.ok, `${count} of ${balance}`).toBe(false);
    vi.setSystemTime(now + asked.retryAfter! - 1);
    if (asked.retryAfter! > 1) {
      const tooSoon = await app.check(name, { key, count });
      expect(tooSoon).toEqual({ ok: false, retryAfter: 1 });
    }
    vi.setSystemTime(now + asked.retryAfter!);
    const inTime = await app.check(name, { key, count });
    expect(inTime).toEqual({ ok: true });
    vi.setSystemTime(now);
  }
}

describe("a limit that is split", () => {
  // At most 12 a minute: quiet, however often it is written.
  const shards = fc.integer({ min: 2, max: 12 });
  const config = aConfig(fc.constant(MINUTE), shards);

  /**
   * A clock that does not step back: each row has a time of its own, so after such a step
   * the last ms before it can refill a row that is written only now.
   */
  const aLifeForward = (aCall: fc.Arbitrary<Call>) =>
    aLife(config, aCall).map((life) => ({
      ...life,
      transactions: life.transactions.map((transaction) => ({
        ...transaction,
        move: Math.max(0, transaction.move),
      })),
    }));

  test(
    "never gives more than one that is not, and decides by the balance that it tells",
    patience,
    async () => {
      await fc.assert(
        fc.asyncProperty(aLifeForward(taking), (life) =>
          live(life, playWithin, expectBounded),
        ),
        { numRuns: 8 * times },
      );
    },
  );

  test(
    "also with overrides that are set, begin, end and are cleared",
    patience,
    async () => {
      await fc.assert(
        fc.asyncProperty(aLifeForward(withOverrides), (life) =>
          live(life, playWithin, expectBounded),
        ),
        { numRuns: 8 * times },
      );
    },
  );
});
