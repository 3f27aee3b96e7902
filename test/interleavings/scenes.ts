import type { LimitConfig, RateLimitConfig } from "convex-rate-limiter";
import type { ShownConfig } from "../../src/core/config.js";
import { toLimit } from "../../src/core/limit.js";
import { canSplit } from "../../src/state/spread/split.js";
import { newApp, type Step } from "../life/steps.js";
import { Explorer, RAN_MS, stateAfter, type Call } from "./explore.js";
import { Judge } from "./judge.js";

const MINUTE = 60_000;
const of = { name: "limit", key: "a" };

const ask = (count: number, more = {}): Step => ({
  verb: "limit",
  of,
  ask: { count, reserve: false, ...more },
});

const HOUSEKEEPING: readonly Step[] = [{ verb: "vacuum" }];

/** The steps whose calls overlap: all of them, or those for a run that takes seconds. */
type Steps = Record<"all" | "few", readonly Call["step"][]>;

const credit: Step = { verb: "credit", of, count: 2 };
const reset: Step = { verb: "reset", of };

const STEPS: Steps = {
  all: [
    ask(1),
    ask(2),
    ask(3),
    ask(2, { leave: 1 }),
    ask(3, { upTo: true }),
    ask(3, { reserve: true }),
    credit,
    { verb: "charge", of, count: 2 },
    reset,
  ],
  few: [
    ask(3, { upTo: true, leave: 1 }),
    ask(3, { reserve: true }),
    credit,
    reset,
  ],
};

const hold = (count: number): Step => ({ verb: "hold", of, count });
const settle = (count: number): Step => ({ verb: "settle", nth: 0, count });
const release = (isLease: boolean): Step => ({
  verb: "release",
  nth: 0,
  isLease,
});

const others = [ask(2), ask(3, { upTo: true }), credit, reset];

/** While an earlier call holds two tokens. */
const HOLD_STEPS: Steps = {
  all: [...others, hold(2), settle(1), settle(2), settle(3), release(false)],
  few: [ask(2), credit, reset, hold(1), settle(1), settle(2), release(false)],
};

const schedule = (count: number): Step => ({ verb: "schedule", of, count });

const cancel: Step = { verb: "cancel", nth: 0 };

/** While an earlier call has scheduled work for two tokens. */
const JOB_STEPS: Steps = {
  all: [...others, schedule(2), cancel],
  few: [credit, reset, schedule(1), cancel],
};

const leaseSteps = [
  hold(1),
  hold(2),
  hold(3),
  release(true),
  { verb: "renew", nth: 0 },
  reset,
] as const;
const LEASE_STEPS: Steps = { all: leaseSteps, few: leaseSteps };

/** How long after the start of a one-minute window the calls run. */
const IN_WINDOW_MS = 20_000;
const NOW = Date.UTC(2026, 0, 1) + IN_WINDOW_MS;

/** A limit, and what earlier calls took from it. */
type Scene = {
  name: string;
  config: ShownConfig;
  steps: Steps;
  /**
   * What each of `calls` calls took, how long ago, and with which `shards` and `rule`. Calls that
   * are `close` follow one another so soon that the third splits the row.
   */
  before?: {
    count: number;
    agoMs: number;
    shards?: number | "auto";
    rule?: Partial<Pick<RateLimitConfig, "rate" | "period">>;
    calls?: number;
    close?: true;
  };
  /** What one more call did just before those: it holds tokens. */
  held?: Step;
  /** Whether these calls start a `resetAll`. */
  isSwept?: boolean;
  /** The tokens that are left. */
  balance: number;
  /** By how many commits looks may be older than their transactions. */
  looksAge?: number;
  /** Whether the earlier calls have made it busy. */
  isBusy?: true;
};

const bucket = {
  kind: "token bucket",
  rate: 4,
  period: MINUTE,
  capacity: 4,
  maxReserved: 2,
} as const;

const shallow = { ...bucket, maxDebt: 1 } as const;

const window = { ...bucket, kind: "fixed window", start: 0 } as const;

const split = (config: RateLimitConfig, shards: number | "auto") => ({
  ...config,
  shards,
});

/** Two tokens, taken so long ago that both are back. */
const idle = { count: 2, agoMs: 120 * MINUTE };

/** Two calls, which make the row split at the next one: together they take three counts. */
const hot = (count: number) =>
  ({ count: (count * 3) / 2, agoMs: 750, calls: 2, close: true }) as const;

/** Three calls, of which the last one has split the row: together they take four counts. */
const four = (count: number) =>
  ({
    count: (count * 4) / 3,
    agoMs: MINUTE / 8,
    calls: 3,
    close: true,
  }) as const;

const onTree = (taken: ReturnType<typeof four>) =>
  ({ ...taken, shards: "auto" }) as const;

/** Half of four tokens, taken while they were split over this many rows. */
const quartered = (shards: number) => ({ count: 2, agoMs: 0, shards });

/** Four tokens, of which 2.5 are back. */
const emptied = { count: 4, agoMs: (MINUTE * 5) / 8 };

/** Three tokens, of which half are back. After a hold of two, that is as deep as `maxDebt` allows. */
const owing = { count: 3, agoMs: (MINUTE * 3) / 8 };

/** More tokens than one window brings. */
const overdrawn = { count: 6, agoMs: MINUTE };

const wide = { ...bucket, rate: 8, capacity: 8 } as const;

/** Half of eight tokens, taken while they were split over this many rows. */
const halved = (shards: number) => ({ count: 2, agoMs: 0, shards, calls: 2 });

/** Enough tokens to split, without `shards`. */
const large = { ...bucket, rate: 24, capacity: 24 } as const;

const scene = (
  name: string,
  config: RateLimitConfig,
  balance: number,
  before?: Scene["before"],
): Scene => ({
  ...{ name, config, balance, steps: STEPS },
  ...(before && { before }),
});

/** Half of eight tokens, taken while they refilled ten times as fast. */
const slowed = { count: 4, agoMs: 0, rule: { rate: 80 } };

/** Five of eight tokens, of which one is back. */
const inFour = four(1.25);

const exact: readonly Scene[] = [
  scene("one row, unused", bucket, 4),
  scene("one row", bucket, 2.5, emptied),
  scene("one row of windows", window, 2, overdrawn),
  scene("one row with maxDebt", shallow, 2.5, owing),
  scene("two rows with maxDebt", split(shallow, 2), 2.5, owing),
  scene("two rows, unused", split(bucket, 2), 4),
  scene("two rows", split(bucket, 2), 2.5, emptied),
  scene("two rows of windows", split(window, 2), 2, overdrawn),
  scene("2 rows, deployed on 1", split(wide, 2), 4, halved(1)),
  scene("1 row, deployed on 2", split(wide, 1), 4, halved(2)),
  scene("3 rows, deployed on 2", split(wide, 3), 4, halved(2)),
  scene("4 rows, deployed on 2", split(wide, 4), 4, halved(2)),
  scene("2 rows, deployed on 4", split(wide, 2), 4, halved(4)),
  scene("a row that splits itself", split(bucket, "auto"), 2.55, hot(0.5)),
  scene(
    "a row of windows that splits itself",
    split(window, "auto"),
    2.5,
    hot(0.5),
  ),
  scene("an idle row that splits itself", split(bucket, "auto"), 4, idle),
  scene("a tree of four rows", split(wide, "auto"), 4, inFour),
  scene("a tree that is idle", split(wide, "auto"), 8, { ...inFour, ...idle }),
  scene("a tree, deployed on 2", split(bucket, "auto"), 2, quartered(2)),
  scene("2 rows, deployed on a tree", split(wide, 2), 4, onTree(inFour)),
  scene("one row that was faster", wide, 4, slowed),
  scene("2 rows that were faster", split(wide, 2), 4, slowed),
  scene("a row that splits itself by default", large, 2.7, hot(7.2)),
  scene("four rows by default", large, 3, four(6)),
  scene("a row by default, deployed on a tree", large, 11, onTree(four(4))),
  // Of the tokens that came back, the first one came ten times as fast.
  scene("a tree that was faster", split(wide, "auto"), 4.6, {
    ...{ ...inFour, rule: slowed.rule },
  }),
];

const windows = { ...window, rate: 8, capacity: 8 } as const;

/** Charges go as deep as reservations. */
const owed = { ...wide, capacity: 4, maxDebt: bucket.maxReserved } as const;

const busyNow = { ...four(0.75), agoMs: 1000 };

const busy: readonly Scene[] = [
  scene("a busy tree", split(wide, "auto"), 5 + 8 / 60, busyNow),
  scene("a busy tree of windows", split(windows, "auto"), 5, busyNow),
  scene("a busy tree with maxDebt", split(owed, "auto"), 1 + 8 / 60, busyNow),
].map((one) => ({ ...one, isBusy: true }));

/** The scene after a step that holds two tokens more. */
const after = (
  scene: Scene,
  held: Step,
  name: string,
  steps: Steps,
): Scene => ({
  ...scene,
  ...{ name: `${scene.name}, ${name}`, steps, held },
  // What is idle has refilled.
  balance: scene.balance - (scene.before?.agoMs === idle.agoMs ? 0 : 2),
});

const places = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;

const leased: readonly Scene[] = [
  {
    name: "leases",
    config: places,
    steps: LEASE_STEPS,
    held: hold(2),
    before: { count: 0, agoMs: MINUTE / 6, calls: 0 },
    balance: 1,
  },
];

const withAgedLooks = (scene: Scene): Scene => ({
  ...scene,
  name: `${scene.name}, looks aged`,
  looksAge: 2,
});

/** Whether calls look at what others wrote. */
const looks = ({ config }: Scene) => maySplit(config);

function maySplit(config: ShownConfig): boolean {
  return canSplit(toLimit(of.name, config));
}

const held = exact.flatMap((scene) => [
  after(scene, hold(2), "2 held", HOLD_STEPS),
  after(scene, schedule(2), "2 scheduled", JOB_STEPS),
]);

/** The scenes for `resetAll`, and of those with a hold for a run that takes seconds. */
const CHOSEN = new Set([
  "one row",
  "two rows",
  "one row, 2 held",
  "one row of windows, 2 held",
  "two rows, 2 held",
  "two rows, 2 scheduled",
  "2 rows, deployed on 1, 2 held",
  "a tree of four rows, 2 held",
  "leases",
]);

const sweep = { verb: "sweep" } as const;

/** The scene while the job of a `resetAll` is at work. */
const withSweep = ({ name, steps: { all, few }, ...scene }: Scene): Scene => ({
  ...{ ...scene, name: `${name}, resetAll`, isSwept: true },
  steps: { all: [...all, sweep], few: [...few, sweep] },
});

const swept = [...exact, ...held, ...leased]
  .filter(({ name }) => CHOSEN.has(name))
  .map(withSweep);

export const scenes: readonly Scene[] = [
  ...exact,
  ...exact.filter(looks).map(withAgedLooks),
  ...held,
  ...held.filter(looks).map(withAgedLooks),
  ...busy,
  ...busy.map(withAgedLooks),
  ...leased,
  ...swept,
  ...swept.filter(looks).map(withAgedLooks),
];

/** Where each call has many outcomes: more than two rows, jobs, or aged looks. */
const MANY_OUTCOMES = /tree|four|[34] rows|on 4|2 scheduled|resetAll|aged/;

/**
 * The scenes for a run that takes seconds, and how many calls overlap: aged looks at rows only
 * where they could do harm, and two calls where three would take long.
 */
export const FEW_SCENES = scenes
  .filter(({ name, config: { shards }, before, held, looksAge }) =>
    held === undefined
      ? looksAge === undefined ||
        shards === undefined ||
        (shards === 2 && before?.shards === 4)
      : CHOSEN.has(name.replace(", resetAll", "")),
  )
  .map((scene) => ({
    scene,
    calls: MANY_OUTCOMES.test(scene.name) ? 2 : 3,
  }));

/** Explores every choice of `calls` steps as overlapping calls. */
export async function exploreScene(
  scene: Scene,
  calls: number,
  which: keyof Steps = "all",
): Promise<Explorer["counts"]> {
  const { config, balance, looksAge = 0, isBusy } = scene;
  const app = newApp({ limit: config });
  const judge = new Judge(config, NOW, isBusy);
  const explorer = new Explorer({
    judge,
    now: NOW,
    looksAge,
    value: { app, step: { verb: "getValue", of } },
  });
  const housekeeping = maySplit(config) ? HOUSEKEEPING : [];
  const steps = [...scene.steps[which], ...housekeeping];
  const all = steps.map((step) => ({ app, step }));
  const earlier = earlierCalls(scene);
  const { state, ids } = await stateAfter(earlier, judge, balance);
  Object.assign(app.ids, ids);
  for (const some of choices(all, calls)) await explorer.explore(some, state);
  return explorer.counts;
}

function earlierCalls({
  config,
  before,
  held,
  isSwept: resetsAll = false,
}: Scene): (Call & { time: number })[] {
  const app = newApp({ limit: configBefore(config, before) });
  const { count = 0, agoMs = 0, calls = before ? 1 : 0 } = before ?? {};
  const charge: Step = { verb: "charge", of, count };
  const everyMs = before?.close ? RAN_MS * 1.25 : 0;
  const first = { app, time: NOW - agoMs, resetsAll };
  const charges = Array.from({ length: calls }, (_, i) => ({
    ...{ ...first, step: charge, time: first.time + i * everyMs },
  }));
  return held === undefined ? charges : [{ ...first, step: held }, ...charges];
}

function configBefore(
  config: ShownConfig,
  {
    shards,
    rule,
  }: NonNullable<Scene["before"]> | Record<string, undefined> = {},
): LimitConfig {
  if (config.kind === "concurrency") return config;
  const limit = { ...config, ...rule };
  return shards === undefined ? limit : { ...limit, shards };
}

/** All choices of `n` things. Each may be chosen several times. */
function* choices<T>(things: readonly T[], n: number): Iterable<T[]> {
  if (n === 0) {
    yield [];
    return;
  }
  for (const [i, thing] of things.entries()) {
    for (const others of choices(things.slice(i), n - 1)) {
      yield [thing, ...others];
    }
  }
}
