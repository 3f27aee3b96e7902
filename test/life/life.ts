import type { LimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { isInShare } from "../../src/core/hash.js";
import type { AnyAsk, ModelConfig } from "../model.js";
import { Deployment } from "../../sim/deployment.js";
import type { FaultRates } from "../../sim/faults.js";
import { Judge } from "./judge.js";
import {
  Halfway,
  host,
  newApp,
  type App,
  type Done,
  type Of,
  type Step,
} from "./steps.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Time zones whose clocks never change: when days begin there, after midnight UTC. */
const ZONES = new Map([
  [0, "UTC"],
  [7 * HOUR, "America/Phoenix"],
  [-5.5 * HOUR, "Asia/Kolkata"],
]);

/** One mutation of the host. */
export type Mutation = {
  /** In how many ms after the one before it is called. */
  after: number;
  steps: Step[];
  /** Whether the host throws at its end, so that nothing of it counts. */
  throws: boolean;
};

/** A run: the limits, what is called, and how clocks go. */
export type Life = {
  limits: Record<string, ModelConfig>;
  mutations: Mutation[];
  executionMs: number;
  /** Clocks are wrong by up to so many ms, each transaction's by its own. */
  jitterMs: number;
  /** From these times on, all clocks are wrong by so many ms. */
  clockSteps: { at: number; errorMs: number }[];
  /** What goes wrong: with the vacuum, which runs every hour, and with all that is scheduled. */
  faults: FaultRates;
  /** Before this mutation the app is deployed anew, and splits its limits over so many rows. */
  deploy?: { before: number; shards: number } | undefined;
  seed: number;
};

/** What runs did, as totals. */
export type Totals = Record<
  | "runs"
  | "calls"
  | "transactions"
  | "conflicts"
  | "gaveUp"
  | "thrown"
  | "scheduled",
  number
>;

export const noTotals = (): Totals => ({
  runs: 0,
  calls: 0,
  transactions: 0,
  conflicts: 0,
  gaveUp: 0,
  thrown: 0,
  scheduled: 0,
});

/** Runs a life and judges each of its transactions. */
export async function live(
  life: Life,
  totals: Totals = noTotals(),
): Promise<void> {
  const { limits, mutations, executionMs, jitterMs, clockSteps, seed } = life;
  const { faults } = life;
  const configs = Object.entries(limits).map(
    ([name, config]) => [name, toApps(config)] as const,
  );
  const app = newApp(Object.fromEntries(configs));
  const later = resplit(app, life.deploy?.shards);
  const judge = new Judge(limits, isInShare, life.deploy ? 1 : 0);
  const broken: unknown[] = [];
  const deployment = new Deployment({
    ...host,
    executionMs,
    seed,
    faults,
    crons: true,
    clockErrorMs: (atMs) => {
      const step = clockSteps.findLast(({ at }) => at <= atMs);
      // Some number that depends on the time alone.
      const part =
        ((Math.imul(Math.floor(atMs * 1000), 2654435761) >>> 8) % 1000) / 1000;
      return (step?.errorMs ?? 0) + Math.round((part - 0.5) * 2 * jitterMs);
    },
    watch: (writes) => judge.watch(writes),
  });
  let at = 10_000_000;
  const { before = Infinity } = life.deploy ?? {};
  const call = (mutation: Mutation, index: number) => {
    at += mutation.after;
    const { steps, throws } = mutation;
    const args = { app: index < before ? app : later, steps, throws };
    deployment.call(at, "steps:run", args, (answer) => {
      totals.transactions++;
      totals.conflicts += answer.conflicts;
      if (broken.length > 0) return;
      if (answer.kind === "gave up") {
        totals.gaveUp++;
        return;
      }
      const { returned } = answer;
      try {
        const isThrown = "error" in returned;
        const done = isThrown
          ? doneBefore(returned.error)
          : (returned.value as Done);
        const { told, ids } = done;
        totals.calls += told.length;
        if (isThrown) totals.thrown++;
        judge.judge({
          now: answer.now,
          seen: answer.seen,
          commits: answer.commits,
          told,
          counts: !isThrown && answer.writes.length > 0,
        });
        if (isThrown) return;
        app.ids.holds.push(...ids.holds);
        app.ids.leases.push(...ids.leases);
        app.ids.jobs.push(...ids.jobs);
      } catch (error) {
        broken.push(error);
      }
    });
  };
  mutations.forEach(call);
  // At last everything is looked at, when nothing else runs.
  const steps = Object.keys(limits).flatMap((name) =>
    ["a", "b", undefined].map((key): Step => ({
      verb: "getValue",
      of: { name, key },
    })),
  );
  call({ after: 30_000, throws: false, steps }, mutations.length);
  await deployment.run();
  totals.runs++;
  totals.scheduled += deployment.scheduled.runs;
  for (const error of [...broken, ...deployment.scheduledErrors]) throw error;
}

/** The same app, with its limits split over another number of rows. */
function resplit(app: App, shards: number | undefined): App {
  if (shards === undefined) return app;
  const configs = Object.entries(app.limits).map(
    ([name, config]): [string, LimitConfig] => [
      name,
      config.shards === undefined ? config : { ...config, shards },
    ],
  );
  return { ...newApp(Object.fromEntries(configs)), ids: app.ids };
}

/** The config that an app gives: windows of a day are those of the calendar. */
function toApps(config: ModelConfig): LimitConfig {
  if (config.kind !== "fixed window" || config.period !== DAY) return config;
  const { start = 0, ...rest } = config;
  const window = { ...rest, start: undefined };
  return { ...window, period: "day", timeZone: ZONES.get(start) };
}

/** What a transaction was told before its host threw. */
function doneBefore(error: unknown): Done {
  if (error instanceof Halfway) return error.done;
  throw error;
}

/** Quarters of a token, which the judge counts exactly. */
const quarters = (min: number, max: number) =>
  fc.integer({ min: min * 4, max: max * 4 }).map((n) => n / 4);

const rarely = (n: number) => fc.nat({ max: n - 1 }).map((i) => i === 1);

const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined });

const aPeriod = fc.constantFrom(1000, 4000, MINUTE);

const aBucket = fc
  .record({
    kind: fc.constantFrom("token bucket" as const, "fixed window" as const),
    rate: quarters(0.25, 12),
    period: aPeriod,
    capacity: optional(quarters(0, 20)),
    maxReserved: optional(quarters(0, 15)),
    start: fc.integer({ min: -70_000, max: 70_000 }),
    day: optional(fc.constantFrom(...ZONES.keys())),
    overrides: fc.boolean(),
    enforce: fc.constantFrom(true, true, true, 0.5),
    stats: fc.constantFrom(false, false, true, 0.5),
  })
  .map(({ kind, start, day, ...common }): ModelConfig & { rate: number } => {
    if (kind === "token bucket") return { kind, ...common };
    if (day === undefined) return { kind, ...common, start };
    return { kind, ...common, period: DAY, start: day };
  });

const aSplit = fc
  .tuple(
    aBucket,
    fc.integer({ min: 2, max: 16 }),
    fc.integer({ min: 8, max: 40 }),
  )
  .map(([config, shards, capacity]) => ({ ...config, shards, capacity }));

const anAsync = fc
  .tuple(aBucket, fc.constantFrom(0, 0, 0, 0.25, 1))
  .map(([config, headroom]) => ({
    ...config,
    applyUpdates: "asynchronously" as const,
    headroom: Math.min(headroom, (config.capacity ?? config.rate) / 2),
  }));

const asDryRun = (config: ModelConfig) => ({ ...config, enforce: false });

/** Limits of each mode: of one row, split, asynchronous, dry runs of these, and on what runs at once. */
const someLimits: fc.Arbitrary<Record<string, ModelConfig>> = fc
  .record({
    one: aBucket,
    split: aSplit,
    async: anAsync,
    dry: aBucket.map(asDryRun),
    drySplit: aSplit.map(asDryRun),
    dryAsync: anAsync.map(asDryRun),
    places: fc.record({
      kind: fc.constant("concurrency" as const),
      capacity: quarters(0.25, 5),
      lease: fc.integer({ min: 20, max: 30_000 }),
      overrides: fc.boolean(),
      enforce: fc.constantFrom(true, true, false, 0.5),
    }),
  })
  .map((limits) => limits as Record<string, ModelConfig>);

/** Which limits are used in one run: the fewer, the more often transactions meet. */
const uses = [
  ["one", "split", "async", "dry"],
  ["one"],
  ["split"],
  ["split"],
  ["async"],
  ["async"],
  ["split", "async"],
  ["one", "dry"],
  ["drySplit"],
  ["drySplit", "split"],
  ["dryAsync"],
  ["dryAsync", "async"],
  [],
];

const ofSome = (some: string[]): fc.Arbitrary<Of> =>
  fc.record({
    name: fc.constantFrom(...some),
    // Most meet at one key.
    key: fc.constantFrom("a", "a", "a", "a", "b", undefined),
  });

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
  fc.record({ config: fc.record({ period: aPeriod }) }),
  fc.record({ config: fc.record({ maxReserved: quarters(0, 15) }) }),
  fc.record({ config: fc.record({ enforce: fc.boolean() }) }),
);

/** Steps that limits of every kind know. */
const heldSteps = (
  names: string[],
  whose: fc.Arbitrary<{ name: string; key: string | undefined }>,
): fc.WeightedArbitrary<Step>[] => [
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant("reset" as const),
      of: ofSome(names),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      verb: fc.constant("getValue" as const),
      of: ofSome(names),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      verb: fc.constant("hold" as const),
      of: ofSome(names),
      count: fc.oneof(aCount, quarters(0.25, 2)),
      expiresAfter: optional(fc.integer({ min: 1, max: MINUTE })),
    }),
  },
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
        startsIn: optional(
          fc.oneof(
            fc.integer({ min: 1, max: 50 }),
            fc.integer({ min: 1, max: 3 * MINUTE }),
          ),
        ),
        lasts: optional(
          fc.oneof(
            fc.integer({ min: 1, max: 50 }),
            fc.integer({ min: 1, max: 5 * MINUTE }),
          ),
        ),
      })
      .map(({ whose, ...step }) => {
        // What a ban without end is waited for is settled for a key's own that holds at once.
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
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant("penalize" as const),
      of: fc.record({
        name: fc.constantFrom(...names),
        key: fc.constantFrom("a", "a", "b"),
      }),
      bans: fc.constantFrom<number[][]>(
        [20],
        [50, 1000],
        [1000, 20_000, 60_000],
      ),
      forgetAfter: fc.constantFrom(0, 5000, MINUTE),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      verb: fc.constant("list" as const),
      order: fc.constantFrom("key" as const, "depleted" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ verb: "clearAll" as const }) },
  { weight: 1, arbitrary: fc.constant({ verb: "vacuum" as const }) },
];

/** Steps that use these buckets, and places. */
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
    {
      weight: 8,
      arbitrary: fc.record({
        verb: fc.constantFrom(
          "limit" as const,
          "limit" as const,
          "check" as const,
        ),
        of,
        ask: anAsk,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constantFrom(
          "limitAll" as const,
          "limitAll" as const,
          "checkAll" as const,
        ),
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
      weight: 2,
      arbitrary: fc.record({
        verb: fc.constant("settle" as const),
        nth: fc.nat({ max: 5 }),
        count: aCount,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        verb: fc.constant("schedule" as const),
        of,
        count: aCount,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        verb: fc.constant("cancel" as const),
        nth: fc.nat({ max: 3 }),
      }),
    },
  );
};

const anInterval = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 20_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 10 * MINUTE }) },
  { weight: 1, arbitrary: fc.constantFrom(3 * HOUR, 3 * HOUR, DAY) },
);

/** Leaves out what a limit without overrides, or one of its kind, refuses. */
function possible(step: Step, limits: Record<string, ModelConfig>): boolean {
  if (step.verb === "penalize") return limits[step.of.name]!.overrides === true;
  if (step.verb !== "override" && step.verb !== "clear") return true;
  const config = limits[step.name]!;
  if (config.overrides !== true) return false;
  if (step.verb === "clear" || !("config" in step.change)) return true;
  const { rate, period, maxReserved } = step.change.config;
  if (config.kind === "concurrency") {
    return [rate, period, maxReserved].every((field) => field === undefined);
  }
  // Then its windows would no longer begin where the calendar says.
  return period === undefined || config.period !== DAY;
}

function withoutLeaseEnd(step: Step): Step {
  return step.verb === "hold" && step.of.name === "places"
    ? { ...step, expiresAfter: undefined }
    : step;
}

export type Shape = { clock: "right" | "jitter" | "steps"; most?: number };

/** Runs of one shape. */
export function aLife(shape: Shape): fc.Arbitrary<Life> {
  return fc.oneof(...uses.map((buckets) => aLifeOn(buckets, shape)));
}

function aLifeOn(
  buckets: string[],
  { clock, most = 20 }: Shape,
): fc.Arbitrary<Life> {
  return fc
    .record({
      limits: someLimits,
      mutations: fc.array(
        fc.record({
          after: anInterval,
          steps: fc.array(aStep(buckets), { minLength: 1, maxLength: 4 }),
          throws: rarely(8),
        }),
        { minLength: 1, maxLength: most, size: "max" },
      ),
      executionMs: fc.constantFrom(2, 10, 40),
      jitterMs:
        clock === "jitter" ? fc.integer({ min: 1, max: 30 }) : fc.constant(0),
      clockSteps:
        clock === "steps"
          ? fc.array(
              fc.record({
                at: fc
                  .integer({ min: 0, max: 20_000 })
                  .map((ms) => 10_000_000 + ms),
                errorMs: fc.oneof(
                  fc.integer({ min: -50, max: 50 }),
                  fc.integer({ min: -20 * MINUTE, max: 20 * MINUTE }),
                ),
              }),
              { maxLength: 3 },
            )
          : fc.constant<Life["clockSteps"]>([]),
      faults: fc.record({
        dropped: fc.constantFrom(0, 0, 0.5, 1),
        doubled: fc.constantFrom(0, 0, 0.5),
        killed: fc.constantFrom(0, 0, 0.3),
        long: fc.constantFrom(0, 0, 0.1),
      }),
      deploy: fc.option(
        fc.record({
          before: fc.nat({ max: 15 }),
          shards: fc.integer({ min: 2, max: 16 }),
        }),
        { nil: undefined, freq: 2 },
      ),
      seed: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
    })
    .map(({ mutations, clockSteps, ...life }) => ({
      ...life,
      clockSteps: clockSteps.toSorted((a, b) => a.at - b.at),
      mutations: mutations
        .map((mutation) => ({
          ...mutation,
          steps: mutation.steps
            .filter((step) => possible(step, life.limits))
            .map(withoutLeaseEnd),
        }))
        .filter(({ steps }) => steps.length > 0),
    }));
}
