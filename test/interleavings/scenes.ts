import type { RateLimitConfig } from "convex-rate-limiter";
import { newApp, type Step } from "../life/steps.js";
import { Explorer, stateAfter } from "./explore.js";
import { Judge } from "./judge.js";

const MINUTE = 60_000;
const of = { name: "limit", key: "a" };

const ask = (count: number, more = {}): Step => ({
  verb: "limit",
  of,
  ask: { count, reserve: false, ...more },
});

/** The verbs whose calls overlap. */
const STEPS: readonly Step[] = [
  ask(1),
  ask(2),
  ask(3),
  ask(2, { leave: 1 }),
  ask(3, { upTo: true }),
  ask(3, { reserve: true }),
  { verb: "credit", of, count: 2 },
  { verb: "charge", of, count: 2 },
  { verb: "reset", of },
];

/** Some of them, for a run of seconds. */
export const FEW_STEPS: readonly Step[] = [
  ask(3, { upTo: true, leave: 1 }),
  ask(3, { reserve: true }),
  { verb: "credit", of, count: 2 },
  { verb: "reset", of },
];

/** The clock of the calls: so long after a window of a minute begins. */
const IN_WINDOW_MS = 20_000;
const NOW = Date.UTC(2026, 0, 1) + IN_WINDOW_MS;

/** A limit, and what became of it before. */
export type Scene = {
  name: string;
  config: RateLimitConfig;
  /** What was taken so long ago, by the app as it was deployed then. */
  before?: { count: number; agoMs: number; shards?: number };
  /** The tokens that there are. */
  balance: number;
  /** By how many commits looks may be older than their transactions. */
  looksAge?: number;
};

const bucket = {
  kind: "token bucket",
  rate: 4,
  period: MINUTE,
  capacity: 4,
  maxReserved: 2,
} as const;

const window = { ...bucket, kind: "fixed window", start: 0 } as const;

const split = (config: RateLimitConfig, shards: number) => ({
  ...config,
  shards,
});

const async = (config: RateLimitConfig) => ({
  ...config,
  applyUpdates: "asynchronously" as const,
});

/** Of which 2.5 tokens are back. */
const emptied = { count: 4, agoMs: (MINUTE * 5) / 8 };

/** So much that one window does not fill it. */
const overdrawn = { count: 6, agoMs: MINUTE };

const wide = { ...bucket, rate: 8, capacity: 8 } as const;

/** Of one that was last used as it was split over so many rows: half of it. */
const halved = (shards: number) => ({ count: 4, agoMs: 0, shards });

const exact: readonly Scene[] = [
  { name: "one row, unused", config: bucket, balance: 4 },
  { name: "one row", config: bucket, before: emptied, balance: 2.5 },
  { name: "one row of windows", config: window, before: overdrawn, balance: 2 },
  { name: "two rows, unused", config: split(bucket, 2), balance: 4 },
  {
    name: "two rows",
    config: split(bucket, 2),
    before: emptied,
    balance: 2.5,
  },
  {
    name: "two rows of windows",
    config: split(window, 2),
    before: overdrawn,
    balance: 2,
  },
  ...[
    [1, 2],
    [2, 1],
    [2, 3],
    [2, 4],
    [4, 2],
  ].map(([from, to]) => ({
    name: `${to} rows, deployed on ${from}`,
    config: split(wide, to!),
    before: halved(from!),
    balance: 4,
  })),
];

const asynchronous: readonly Scene[] = [
  { name: "asynchronous, unused", config: async(bucket), balance: 4 },
  {
    name: "asynchronous",
    config: async(bucket),
    before: emptied,
    balance: 2.5,
  },
  {
    name: "asynchronous windows",
    config: async(window),
    before: overdrawn,
    balance: 2,
  },
];

const withAgedLooks = (scene: Scene): Scene => ({
  ...scene,
  name: `${scene.name}, looks aged`,
  looksAge: 2,
});

/** Whether calls look at what others wrote. */
const looks = ({ config: { shards, applyUpdates } }: Scene) =>
  shards !== undefined || applyUpdates !== undefined;

export const scenes: readonly Scene[] = [
  ...exact,
  ...asynchronous,
  ...[...exact, ...asynchronous].filter(looks).map(withAgedLooks),
];

/** Those for a run of seconds: of looks at rows that age, where they once did harm. */
export const FEW_SCENES = scenes.filter(
  ({ config: { shards }, before, looksAge }) =>
    looksAge === undefined ||
    shards === undefined ||
    (shards === 2 && before?.shards === 4),
);

/** Explores so many overlapping calls, whichever of the steps they are. */
export async function exploreScene(
  { config, before, balance, looksAge = 0 }: Scene,
  calls: number,
  steps: readonly Step[] = STEPS,
): Promise<Explorer["counts"]> {
  const app = newApp({ limit: config });
  const explorer = new Explorer({
    judge: new Judge(config, NOW),
    now: NOW,
    looksAge,
    value: { app, step: { verb: "getValue", of } },
  });
  const state = await stateAfter(
    before ? [emptying(config, before)] : [],
    balance,
  );
  const all = steps.map((step) => ({ app, step }));
  for (const some of choices(all, calls)) await explorer.explore(some, state);
  return explorer.counts;
}

function emptying(
  config: RateLimitConfig,
  { count, agoMs, shards }: NonNullable<Scene["before"]>,
) {
  const app = newApp({
    limit: shards === undefined ? config : { ...config, shards },
  });
  const step: Step = { verb: "charge", of, count };
  return { app, step, at: NOW - agoMs };
}

/** All choices of `n` things, of which each may be chosen several times. */
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
