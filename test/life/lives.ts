import fc from "fast-check";
import {
  aKind,
  optional,
  quarters,
  rarely,
  step,
} from "../support/arbitraries.js";
import type { AnyAsk, ModelConfig } from "../support/model.js";
import { LENGTH, weekdays } from "../support/naiveCalendar.js";
import { mapped, type Deploy, type Life, type LifeConfig } from "./life.js";
import { PLAN } from "./turn.js";
import type { HeldItem, Of, Step } from "./steps.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Dates near which clocks change somewhere, or a month ends. */
const DATES = ["2026-01-01", "2026-03-06", "2026-03-27", "2026-10-22"];

const aPlace = {
  timeZone: fc.constantFrom(
    "UTC",
    "Asia/Kolkata",
    "Europe/Berlin",
    "America/Havana",
    "Africa/Cairo",
  ),
  weekStart: fc.constantFrom(...weekdays),
  start: optional(
    fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2028, 0) }),
  ),
};

const aCalendar = fc.record({
  ...aPlace,
  period: fc.constantFrom(
    "day" as const,
    "day" as const,
    "week" as const,
    "month" as const,
  ),
});

/** Whether calls follow one another at once, or after minutes and hours. */
type Pace = "busy" | "rare";

const aPeriod = (pace: Pace) =>
  pace === "busy"
    ? fc.constantFrom(1000, 4000, MINUTE)
    : fc.constantFrom(4000, 4 * MINUTE, HOUR);

const aBucket = (pace: Pace) =>
  fc
    .record({
      kind: aKind,
      rate: quarters(0.25, 12),
      period: aPeriod(pace),
      capacity: optional(quarters(0, 20)),
      maxReserved: optional(quarters(0, 15)),
      maxDebt: optional(quarters(0, 15)),
      start: fc.oneof(
        optional(fc.integer({ min: -70_000, max: 70_000 })),
        fc.constant<"first use">("first use"),
      ),
      calendar: optional(aCalendar),
      overrides: fc.boolean(),
      enforce: fc.constantFrom(true, true, true, 0.5),
      stats: fc.constantFrom(false, false, true, 0.5),
    })
    .map(({ kind, start, calendar, ...common }) => {
      if (kind === "token bucket") return { kind, ...common };
      if (calendar === undefined) return { kind, ...common, start };
      return { kind, ...common, calendar, period: LENGTH[calendar.period] };
    });

/** Without `shards`, a limit of many tokens splits itself. */
const someShards = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 2, max: 16 }) },
  { weight: 3, arbitrary: fc.constant<"auto">("auto") },
  { weight: 2, arbitrary: fc.constant(undefined) },
);

const aSplit = (pace: Pace) =>
  fc
    .tuple(aBucket(pace), someShards, fc.integer({ min: 8, max: 40 }))
    .map(([config, shards, capacity]) => ({ ...config, shards, capacity }));

const asDryRun = (config: ModelConfig) => ({ ...config, enforce: false });

/** A limit of each mode: one row, split, a dry run of each, and concurrency. */
const someLimits = (pace: Pace): fc.Arbitrary<Record<string, LifeConfig>> =>
  fc
    .record({
      one: aBucket(pace),
      split: aSplit(pace),
      dry: aBucket(pace).map(asDryRun),
      drySplit: aSplit(pace).map(asDryRun),
      places: fc.record({
        kind: fc.constant("concurrency" as const),
        capacity: quarters(0.25, 5),
        lease: fc.integer({ min: 20, max: 30_000 }),
        overrides: fc.boolean(),
        enforce: fc.constantFrom(true, true, false, 0.5),
      }),
    })
    .map((limits) => limits as Record<string, LifeConfig>);

/** Which fields of a limit a deploy changes. */
const someFields = fc.record({
  windows: fc.boolean(),
  rate: fc.boolean(),
  capacity: fc.boolean(),
  shards: fc.boolean(),
});

type Fields = typeof someFields extends fc.Arbitrary<infer T> ? T : never;

/** The config of a limit after a deploy: these fields from `after`, all others from `before`. */
function changed(
  before: LifeConfig,
  after: LifeConfig,
  fields: Fields,
  shards: number | "auto" | undefined,
): LifeConfig {
  if (before.kind === "concurrency" || after.kind === "concurrency") {
    return before;
  }
  const windows = fields.windows ? after : before;
  const { kind, start, period, calendar } = windows;
  const { rate } = fields.rate ? after : before;
  const { capacity } = fields.capacity ? after : before;
  return {
    ...before,
    ...{ kind, start, period, calendar, rate, capacity },
    ...(fields.shards && { shards }),
  } as LifeConfig;
}

type Change = {
  before: number;
  mixed: number;
  fields: Fields;
  limits: Record<string, LifeConfig>;
  shards: number | "auto" | undefined;
};

/** Applies each deploy to the limits that the previous one left. */
function deployed(
  limits: Record<string, LifeConfig>,
  changes: readonly Change[],
): Deploy[] {
  let last = limits;
  return changes
    .toSorted((a, b) => a.before - b.before)
    .map(({ before, mixed, fields, limits, shards }) => {
      last = mapped(last, (config, name) =>
        changed(config, limits[name]!, fields, shards),
      );
      return { before, mixed, limits: last };
    });
}

const PLANS = 2;

/** The limits to use in one run. The fewer, the more often transactions collide. */
const uses = [
  ["one", "split", "dry"],
  ["one"],
  ["split"],
  ["split"],
  ["split", "one"],
  ["one", "dry"],
  ["drySplit"],
  ["drySplit", "split"],
  ["plan"],
  ["plan", "one"],
  [],
];

const ofSome = (some: string[]): fc.Arbitrary<Of> =>
  fc
    .record({
      name: fc.constantFrom(...some),
      // Mostly one key, so that calls collide.
      key: fc.constantFrom("a", "a", "a", "a", "b", undefined),
      plan: fc.nat({ max: PLANS - 1 }),
    })
    .map(({ plan, ...of }) => (of.name === PLAN ? { ...of, plan } : of));

const aCount = fc.oneof(fc.constant(1), quarters(0, 10), quarters(0, 30));

const anAsk: fc.Arbitrary<AnyAsk> = fc
  .record({
    count: aCount,
    reserve: rarely(3),
    leave: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: quarters(0, 6) },
    ),
    upTo: rarely(5),
  })
  .map((ask) =>
    ask.upTo
      ? { ...ask, reserve: false, count: Math.max(1, ask.count) }
      : { count: ask.count, reserve: ask.reserve, leave: ask.leave },
  );

const aChange = fc.oneof(
  fc.constant({ deny: true as const }),
  fc.constant({ unlimited: true as const }),
  fc.record({ config: fc.record({ capacity: quarters(0, 30) }) }),
  fc.record({ config: fc.record({ rate: quarters(0.25, 12) }) }),
  fc.record({ config: fc.record({ period: aPeriod("busy") }) }),
  fc.record({ config: fc.record({ period: aPeriod("rare") }) }),
  fc.record({ config: fc.record({ maxReserved: quarters(0, 15) }) }),
  fc.record({ config: fc.record({ maxDebt: quarters(0, 15) }) }),
  fc.record({ config: fc.record({ enforce: fc.boolean() }) }),
);

/** A duration: short, or up to `most`. */
const aWhile = (most: number) =>
  optional(
    fc.oneof(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: most }),
    ),
  );

const someHold = (names: string[]) => ({
  of: ofSome(names),
  count: fc.oneof(aCount, quarters(0.25, 2)),
  expiresAfter: optional(fc.integer({ min: 1, max: MINUTE })),
});

/** Steps for limits of every kind. */
const heldSteps = (
  names: string[],
  whose: fc.Arbitrary<{ name: string; key: string | undefined }>,
): fc.WeightedArbitrary<Step>[] => [
  step("reset", 1, { of: ofSome(names) }),
  step("resetAll", 1, { name: fc.constantFrom(...names) }),
  step("getValue", 2, {
    of: ofSome(names),
    sampleShards: fc.constantFrom(undefined, undefined, 1, 2, 5),
  }),
  step("hold", 4, someHold(names)),
  step("holdAll", 3, {
    items: fc.array(fc.record(someHold(names)), { minLength: 1, maxLength: 4 }),
  }),
  step("settleAll", 2, {
    holds: fc.array(
      fc.record({
        nth: fc.nat({ max: 5 }),
        isLease: fc.boolean(),
        count: optional(aCount),
      }),
      { maxLength: 4 },
    ),
  }),
  {
    weight: 3,
    arbitrary: fc
      .record({
        verb: fc.constantFrom("release" as const, "renew" as const),
        nth: fc.nat({ max: 5 }),
        isLease: fc.constantFrom(true, true, false),
      })
      .map((step) =>
        step.verb === "renew" ? { ...step, isLease: true } : step,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        verb: fc.constant("override" as const),
        whose,
        change: aChange,
        startsIn: aWhile(3 * MINUTE),
        lasts: aWhile(5 * MINUTE),
      })
      .map(({ whose, ...step }) => {
        // The model knows the wait for a ban without end only if that ban is the key's own and begins at once.
        const needsEnd =
          "deny" in step.change &&
          (whose.key === undefined || step.startsIn !== undefined);
        return {
          ...step,
          ...whose,
          lasts: step.lasts ?? (needsEnd ? MINUTE : undefined),
        };
      }),
  },
  {
    weight: 1,
    arbitrary: whose.map((one) => ({ verb: "clear" as const, ...one })),
  },
  step("penalize", 1, {
    of: fc.record({
      name: fc.constantFrom(...names),
      key: fc.constantFrom("a", "a", "b"),
    }),
    bans: fc.constantFrom<number[][]>([20], [50, 1000], [1000, 20_000, 60_000]),
    forgetAfter: fc.constantFrom(0, 5000, MINUTE),
  }),
  step("list", 1, {
    order: fc.constantFrom("key" as const, "depleted" as const),
  }),
  step("clearAll", 1),
  step("vacuum", 1),
];

/** Steps that use these limits, and the concurrency limit. */
const aStep = (buckets: string[]): fc.Arbitrary<Step> => {
  const names = [...buckets, "places"];
  const whose = fc.record({
    name: fc.constantFrom(...names),
    key: fc.constantFrom("a", "a", "b", undefined),
  });
  const held = heldSteps(names, whose);
  if (buckets.length === 0) return fc.oneof(...held);
  const of = ofSome(buckets);
  return fc.oneof(
    ...held,
    step(["limit", "limit", "check"], 8, { of, ask: anAsk }),
    step(["limitAll", "limitAll", "checkAll"], 3, {
      items: fc.array(fc.record({ of, ask: anAsk }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
    step(["credit", "charge"], 3, { of, count: quarters(0.25, 12) }),
    step("settle", 2, { nth: fc.nat({ max: 5 }), count: aCount }),
    step("schedule", 2, { of, count: aCount }),
    step("cancel", 1, { nth: fc.nat({ max: 3 }) }),
  );
};

/** An override of one field of a config, and when. */
const aSwap = {
  change: fc.oneof(
    fc.record({ config: fc.record({ capacity: quarters(0, 30) }) }),
    fc.record({ config: fc.record({ rate: quarters(0.25, 12) }) }),
    fc.record({ config: fc.record({ period: aPeriod("rare") }) }),
  ),
  startsIn: aWhile(3 * MINUTE),
  lasts: aWhile(3 * MINUTE),
};

/** Steps on one key of a limit whose rule changes. */
const aStepOfChanges = (name: string): fc.Arbitrary<Step> => {
  const of = fc
    .nat({ max: PLANS - 1 })
    .map((plan) =>
      name === PLAN ? { ...KEY_A, name, plan } : { ...KEY_A, name },
    );
  const isHeld = fc.constant(false);
  return fc.oneof(
    step(["limit", "limit", "check"], 4, { of, ask: anAsk }),
    step(["credit", "charge"], 4, { of, count: quarters(0.25, 30) }),
    step("getValue", 3, { of }),
    step("hold", 2, { of, count: quarters(0.25, 12) }),
    step("settle", 2, { nth: fc.nat({ max: 2 }), count: aCount }),
    step("release", 1, { nth: fc.nat({ max: 2 }), isLease: isHeld }),
    step("override", 4, { ...fixed({ ...KEY_A, name }), ...aSwap }),
    step("clear", 1, fixed({ ...KEY_A, name })),
    step("vacuum", 1),
    step("reset", 1, { of }),
    step("resetAll", 1, fixed({ name })),
  );
};

const KEY_A = { key: "a" };
const split = { ...KEY_A, name: "split" };
const aSplitOne = fc.constantFrom(split, split, { ...KEY_A, name: "drySplit" });

/** Steps on one key of split limits that are mostly in debt. */
const aStepOfDebts = (): fc.Arbitrary<Step> => {
  const of = aSplitOne;
  const nth = fc.nat({ max: 3 });
  const count = quarters(0.25, 3);
  return fc.oneof(
    step("limit", 6, {
      of,
      ask: fc.record({ count, reserve: fc.constant(true) }),
    }),
    step(["limit", "limit", "check"], 7, { of, ask: anAsk }),
    step(["limitAll", "limitAll", "checkAll"], 3, {
      items: fc.array(fc.record({ of, ask: anAsk }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    step("charge", 4, { of, count }),
    step("schedule", 3, { of, count }),
    step("cancel", 1, { nth }),
    step("hold", 1, { of, count }),
    step("settle", 1, { nth, count }),
    step("credit", 2, { of, count: quarters(0.25, 12) }),
    step("getValue", 1, { of }),
    step("override", 1, { ...fixed(split), ...aSwap }),
    step("clear", 1, fixed(split)),
    step("resetAll", 1, fixed({ name: "split" })),
    step("vacuum", 1),
  );
};

/** Steps on one key of split limits that are nearly empty. */
const aStepOfTakes = (): fc.Arbitrary<Step> => {
  const of = aSplitOne;
  const count = fc.constantFrom(0.5, 0.75, 1, 1);
  return fc.oneof(
    step("limit", 24, {
      of,
      ask: fc.record({ count, reserve: fc.constant(false) }),
    }),
    step(["limit", "limit", "check"], 3, { of, ask: anAsk }),
    step("hold", 1, { of, count }),
    step("settle", 1, { nth: fc.nat({ max: 3 }), count }),
    step("credit", 2, { of, count: quarters(0.25, 12) }),
    step("getValue", 1, { of }),
  );
};

const fixed = <T extends object>(record: T) =>
  Object.fromEntries(
    Object.entries(record).map(([field, value]) => [field, fc.constant(value)]),
  ) as { [Field in keyof T]: fc.Arbitrary<T[Field]> };

/** A request large enough that later ones soon have to wait. */
const aLargeAsk: fc.Arbitrary<Step> = fc.record({
  verb: fc.constant("limit" as const),
  of: fc.constant({ name: "split", key: "a" }),
  ask: fc.record({ count: quarters(1, 12), reserve: rarely(5) }),
});

const anInterval = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 10 * MINUTE }) },
  { weight: 1, arbitrary: fc.constantFrom(3 * HOUR, 3 * HOUR, DAY, 8 * DAY) },
);

const aShortInterval = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 0, max: 30 }) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 3000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 * MINUTE }) },
);

/** Whether a limit accepts a step. It may take no overrides, or its kind may lack a field. */
function possible(step: Step, limits: Record<string, LifeConfig>): boolean {
  if (step.verb === "penalize") return limits[step.of.name]?.overrides === true;
  if (step.verb !== "override" && step.verb !== "clear") return true;
  const config = limits[step.name];
  if (config?.overrides !== true) return false;
  if (step.verb === "clear" || !("config" in step.change)) return true;
  if (config.kind !== "concurrency") return true;
  const { rate, period, maxReserved, maxDebt } = step.change.config;
  const refilling = [rate, period, maxReserved, maxDebt];
  return refilling.every((field) => field === undefined);
}

/** Gives all items of a list the same config: a key may not have two configs in one list. */
function withOnePlan(step: Step): Step {
  if (!("items" in step)) return step;
  const plan = step.items.find(({ of }) => of.plan !== undefined)?.of.plan;
  const withPlan = <Some extends { of: Of }>(item: Some): Some =>
    item.of.plan === undefined ? item : { ...item, of: { ...item.of, plan } };
  return step.verb === "holdAll"
    ? { ...step, items: step.items.map(withPlan) }
    : { ...step, items: step.items.map(withPlan) };
}

/** Drops `expiresAfter` for concurrency limits: their leases have an end of their own. */
function withoutLeaseEnd(step: Step): Step {
  const without = (item: HeldItem) =>
    item.of.name === "places" ? { ...item, expiresAfter: undefined } : item;
  if (step.verb === "hold") return { ...step, ...without(step) };
  if (step.verb !== "holdAll") return step;
  return { ...step, items: step.items.map(without) };
}

export type Shape = {
  clock: "right" | "jitter" | "steps";
  /** Set if looks may be older than their transactions. */
  looks?: "aged";
  /** Whether mutations run one at a time. */
  alone?: boolean;
  /** Whether most steps change rules. */
  changes?: boolean;
  /** Whether calls follow one another so fast, and mostly into debt, that rows owe. */
  owing?: boolean;
  /** Whether many calls that take long want the last tokens. */
  scarce?: boolean;
  most?: number;
};

/** The sets of limits that runs of a shape use. */
function usesOf({ alone, changes, owing, scarce }: Shape): string[][] {
  if (owing || scarce) return [["split", "drySplit"]];
  if (changes) return [["one"], ["split"], ["plan"]];
  // If mutations run one at a time, all other limits are exact anyway.
  if (alone) return [["split"], ["split"], ["split", "one"], ["one"]];
  return uses;
}

/** Runs of one shape. */
export function aLife(shape: Shape): fc.Arbitrary<Life> {
  return fc.oneof(...usesOf(shape).map((names) => aLifeOn(names, shape)));
}

const someClockSteps = fc
  .array(
    fc.record({
      time: fc.integer({ min: 0, max: 20_000 }).map((ms) => 10_000_000 + ms),
      errorMs: fc.oneof(
        fc.integer({ min: -50, max: 50 }),
        fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }),
      ),
    }),
    { maxLength: 3 },
  )
  .map((steps) => steps.toSorted((a, b) => a.time - b.time));

/** A key of the maximum length, and another that differs from it only at the end. */
const LONG_KEYS = ["ä".repeat(512), `${"ä".repeat(511)}bb`];

const aDeploy = (pace: Pace): fc.Arbitrary<Change> =>
  fc.record({
    before: fc.nat({ max: 15 }),
    fields: someFields,
    limits: someLimits(pace),
    shards: fc.oneof(someShards, fc.constant(1)),
    mixed: fc.constantFrom(0, 0, 3, 8),
  });

/** The configs that come with calls. All have the same mode. */
const somePlans = (pace: Pace) =>
  fc
    .record({
      mode: fc.constantFrom("one" as const, "split" as const),
      limits: fc.array(someLimits(pace), {
        minLength: PLANS,
        maxLength: PLANS,
      }),
      shards: someShards,
    })
    .map(({ mode, limits }) =>
      limits.map((all) => ({
        ...all[mode]!,
        overrides: false,
        enforce: true,
        stats: false,
      })),
    ) as fc.Arbitrary<LifeConfig[]>;

const aLifeOn = (buckets: string[], shape: Shape): fc.Arbitrary<Life> =>
  fc
    .constantFrom<Pace>("busy", shape.owing || shape.scarce ? "busy" : "rare")
    .chain((pace) => aLifeAt(pace, buckets, shape));

function aLifeAt(
  pace: Pace,
  buckets: string[],
  {
    clock,
    looks,
    alone = false,
    changes = false,
    owing = false,
    scarce = false,
    most = scarce ? 120 : owing ? 40 : 20,
  }: Shape,
): fc.Arbitrary<Life> {
  const isBusy = owing || scarce;
  const step = changes
    ? aStepOfChanges(buckets[0]!)
    : owing
      ? aStepOfDebts()
      : scarce
        ? aStepOfTakes()
        : alone && buckets.includes("split")
          ? fc.oneof(aStep(buckets), aLargeAsk)
          : aStep(buckets);
  const aMutation = fc.record({
    after: scarce ? fc.nat({ max: 80 }) : owing ? aShortInterval : anInterval,
    steps: fc.array(step, { minLength: 1, maxLength: alone || isBusy ? 2 : 4 }),
    throws: rarely(8),
    again: fc.constantFrom(undefined, "in time" as const, "too soon" as const),
  });
  return fc
    .record({
      limits: someLimits(pace).map((limits) =>
        changes ? withOverrides(limits) : isBusy ? busily(limits) : limits,
      ),
      plans: somePlans(pace),
      mutations: fc.array(aMutation, {
        minLength: alone || isBusy ? most / 2 : 1,
        maxLength: most,
        size: "max",
      }),
      from: fc.constantFrom(...DATES),
      calendar: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: aCalendar },
      ),
      executionMs: scarce
        ? fc.constantFrom(110, 180)
        : fc.constantFrom(2, 10, 40),
      jitterMs:
        clock === "jitter" ? fc.integer({ min: 1, max: 30 }) : fc.constant(0),
      clockSteps:
        clock === "steps"
          ? someClockSteps
          : fc.constant<Life["clockSteps"]>([]),
      faults: fc.record({
        dropped: fc.constantFrom(0, 0, 0.5, 1),
        doubled: fc.constantFrom(0, 0, 0.5),
        killed: fc.constantFrom(0, 0, 0.3),
        long: fc.constantFrom(0, 0, 0.1),
        agedLooks: fc.constant(looks === "aged" ? 0.5 : 0),
      }),
      deploys: fc.array(aDeploy(pace), { maxLength: 3, size: "max" }),
      keys: fc.constantFrom(["a", "b"], ["a", "b"], LONG_KEYS),
      alone: fc.constant(alone),
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    })
    .map(({ limits, ...life }) => {
      const names = [...buckets, "places"];
      const used = Object.entries(limits).filter(([name]) =>
        names.includes(name),
      );
      return { ...life, limits: Object.fromEntries(used) };
    })
    .map(({ calendar, plans, ...life }) => ({
      ...(calendar === undefined ? life : withinDays(life, calendar)),
      ...(buckets.includes(PLAN) && { plans }),
    }))
    .map(({ mutations, deploys, limits, ...life }) => ({
      ...life,
      limits,
      deploys: deployed(limits, deploys),
      mutations: mutations
        .map((mutation) => ({
          ...mutation,
          steps: mutation.steps
            .filter((step) => possible(step, limits))
            .map(withoutLeaseEnd)
            .map(withOnePlan)
            .map((step) => withKeys(step, life.keys))
            .map((step) => (pace === "rare" ? slowly(step) : step))
            .filter(({ verb }, i) => verb !== "resetAll" || i === 0),
        }))
        .map((one) => (pace === "rare" ? { ...one, after: wait(one) } : one))
        .filter(({ steps }) => steps.length > 0),
    }));
}

/** The same limits; those that split refill so fast that they are busy. */
function busily(
  limits: Record<string, LifeConfig>,
): Record<string, LifeConfig> {
  const busy = (config: LifeConfig): LifeConfig => {
    if (config.kind === "concurrency") return config;
    const { rate, maxReserved } = config;
    const most = maxReserved && maxReserved * 10;
    return { ...config, rate: 8 * rate, period: 1000, maxReserved: most };
  };
  const { split, drySplit } = limits;
  return { ...limits, split: busy(split!), drySplit: busy(drySplit!) };
}

/** The same limits, with `overrides: true`. */
function withOverrides(
  limits: Record<string, LifeConfig>,
): Record<string, LifeConfig> {
  return mapped(limits, (config) => ({ ...config, overrides: true }));
}

/** How long after the previous mutation this one is called at a rare pace: mostly minutes, sometimes hours. */
function wait({ after }: Pick<Life["mutations"][number], "after">): number {
  return after <= 12 ? after * 7 * MINUTE : after;
}

/** Stretches the times of a step from seconds to hours. */
function slowly(step: Step): Step {
  const slow = (ms: number | undefined) => ms && ms * 120;
  if (step.verb === "override") {
    const { startsIn, lasts } = step;
    return { ...step, startsIn: slow(startsIn), lasts: slow(lasts) };
  }
  if (step.verb === "hold") {
    return { ...step, expiresAfter: slow(step.expiresAfter) };
  }
  return step;
}

/** The same life with one calendar for all limits, and long enough for several of its windows. */
function withinDays<Some extends Pick<Life, "limits" | "mutations">>(
  life: Some,
  calendar: NonNullable<LifeConfig["calendar"]>,
): Some {
  const period = LENGTH[calendar.period];
  const kind = "fixed window" as const;
  const limits = mapped(life.limits, (config): LifeConfig =>
    config.kind === "concurrency"
      ? config
      : { ...config, kind, start: undefined, calendar, period },
  );
  const mutations = life.mutations.map((one) => ({
    ...one,
    after: one.after > 12 ? (one.after % 40) * HOUR : one.after,
  }));
  return { ...life, limits, mutations };
}

/** The same step with these keys instead of "a" and "b". */
function withKeys(step: Step, [a, b]: readonly string[]): Step {
  const named = { a, b };
  return JSON.parse(JSON.stringify(step), (field, value: unknown) =>
    field === "key" ? named[value as "a" | "b"] : value,
  ) as Step;
}
