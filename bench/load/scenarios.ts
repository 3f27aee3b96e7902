import type { Step } from "./steps.js";

/*
 * What is asked, as data. In the arguments of a step, `$name`, `$key` and `$config` are those of the
 * limit under load, `$each` is a key that differs with each call, and `$answer…` is what the last
 * step of the mutation before returned.
 */

export type LimiterName = "ours" | "peer" | "byHand";

export type Config = {
  kind: "token bucket" | "fixed window";
  rate: number;
  period: number;
  capacity?: number;
  start?: number;
  shards?: number | "auto";
  stats?: true;
  overrides?: true;
};

/** Who keeps a limit, and in how many rows. */
export type Way = { limiter: LimiterName; shards?: Config["shards"] };

export type Verb = {
  /** Its mutations, one after the other. Those that follow are sent only if the one before granted. */
  mutations: readonly (readonly Step[])[];
  /** How long after an answer the next mutation is sent. Default 0. */
  afterMs?: number;
  /** The tokens that a call uses, or asks for. */
  tokens: number;
  /** The most tokens that it takes at once. Default `tokens`. */
  most?: number;
  /** Whether a granted call takes these tokens and does nothing else to the limit. */
  onlyTakes?: true;
  /** What its limit needs. */
  config?: Pick<Config, "stats" | "overrides">;
  /** Who has it. Default ours alone. */
  of?: readonly LimiterName[];
};

const LIMIT = { key: "$key", config: "$config" };
const USER = {
  key: "$each",
  config: { kind: "token bucket", rate: 100, period: 60_000 },
};
const LIMIT_AND_USER = [
  { name: "$name", ...LIMIT },
  { name: "user", ...USER },
];
const HOLD_10: readonly Step[] = [["hold", "$name", { ...LIMIT, count: 10 }]];

/** What a mutation, or a chain of them, asks of a limit. */
export const VERBS: Record<string, Verb> = {
  limit: {
    mutations: [[["limit", "$name", LIMIT]]],
    tokens: 1,
    onlyTakes: true,
    of: ["ours", "peer", "byHand"],
  },
  check: {
    mutations: [
      [
        ["check", "$name", { ...LIMIT, throws: true }],
        ["limit", "$name", LIMIT],
      ],
    ],
    tokens: 1,
    onlyTakes: true,
    of: ["ours", "peer"],
  },
  details: {
    mutations: [[["limit", "$name", { ...LIMIT, details: true }]]],
    tokens: 1,
    onlyTakes: true,
  },
  statistics: {
    mutations: [[["limit", "$name", LIMIT]]],
    tokens: 1,
    onlyTakes: true,
    config: { stats: true },
  },
  overrides: {
    mutations: [[["limit", "$name", LIMIT]]],
    tokens: 1,
    onlyTakes: true,
    config: { overrides: true },
  },
  upTo: {
    mutations: [[["limit", "$name", { ...LIMIT, count: 5, upTo: true }]]],
    tokens: 5,
  },
  reserve: {
    mutations: [[["limit", "$name", { ...LIMIT, reserve: true }]]],
    tokens: 1,
    of: ["ours", "peer"],
  },
  cancel: {
    mutations: [
      [["scheduleJob", "$name", { ...LIMIT, jitter: 600_000 }]],
      [["cancelScheduled", "$answer.scheduledId"]],
    ],
    tokens: 1,
    afterMs: 300,
  },
  charge: {
    mutations: [[["charge", "$name", { ...LIMIT, count: 1 }]]],
    tokens: 1,
  },
  credit: {
    mutations: [
      [["limit", "$name", { ...LIMIT, count: 10 }]],
      [["credit", "$name", { ...LIMIT, count: 6 }]],
    ],
    afterMs: 300,
    tokens: 4,
    most: 10,
  },
  settle: {
    mutations: [HOLD_10, [["settle", "$answer.id", { count: 4 }]]],
    afterMs: 300,
    tokens: 4,
    most: 10,
  },
  release: {
    mutations: [HOLD_10, [["release", "$answer.id"]]],
    afterMs: 300,
    tokens: 4,
    most: 10,
  },
  settleAll: {
    mutations: [
      [["holdAll", LIMIT_AND_USER.map((item) => ({ ...item, count: 10 }))]],
      [
        [
          "settleAll",
          [{ id: "$answer.ids.0", count: 4 }, { id: "$answer.ids.1" }],
        ],
      ],
    ],
    afterMs: 300,
    tokens: 4,
    most: 10,
  },
  limitAll: {
    mutations: [[["limitAll", LIMIT_AND_USER]]],
    tokens: 1,
    onlyTakes: true,
  },
};

/** What each mutation does besides: steps before the limit is asked, and work after it. */
export const PLACES: Record<
  string,
  { before?: readonly Step[]; workMs?: number }
> = {
  alone: {},
  "after an insert": { before: [["insert"]] },
  "after another limit": { before: [["limit", "user", USER]] },
  "in 50 ms": { workMs: 50 },
  "in 200 ms": { workMs: 200 },
};

/**
 * The tokens that a limit refills, for each one that is asked for. One that just suffices is full
 * at first, with two seconds' worth, and used up after 20 s.
 */
export const SUPPLIES: Record<string, number> = {
  healthy: 10,
  "just sufficient": 0.9,
  overloaded: 0.5,
};

/** "default" (shards left out), "auto", "by hand", "incumbent", or one of the two with a number. */
export function wayOf(name: string): Way {
  if (name === "default") return { limiter: "ours" };
  if (name === "auto") return { limiter: "ours", shards: "auto" };
  if (name === "by hand") return { limiter: "byHand" };
  const [, peer, shards] = /^(incumbent)? ?(\d+)?$/.exec(name) ?? [];
  if (peer === undefined && shards === undefined) {
    throw new Error(
      `--way ${name}: say default, auto, a number of shards, incumbent, "incumbent 10" or "by hand"`,
    );
  }
  const limiter = peer === undefined ? "ours" : "peer";
  return shards === undefined ? { limiter } : { limiter, shards: +shards };
}

/** Which scenarios to run: each of these with each other. */
export type Selection = {
  verbs: readonly string[];
  places: readonly string[];
  supplies: readonly string[];
  ways: readonly string[];
  /** Calls a second. */
  rates: readonly number[];
  /** Whether a way that fails or waits at one rate is left out at the higher ones. */
  rises?: true;
  /** Whether these very rates are asked for, even if the machine does not bear them. */
  isAsked?: true;
};

/** `"auto"` differs from leaving `shards` out only on limits of few tokens. */
const SPLIT = ["default", "10"];
const EVERY_WAY = [...SPLIT, "1", "incumbent", "incumbent 10", "by hand"];

/** The parts of a run that put a load on one key. */
export const LOADS: Record<string, Selection> = {
  hot: {
    verbs: ["limit"],
    places: ["alone"],
    supplies: ["healthy"],
    ways: EVERY_WAY,
    rates: [10, 20, 40, 60, 90, 130, 200],
    rises: true,
  },
  holds: {
    verbs: ["settle", "release", "credit"],
    places: ["alone"],
    supplies: ["healthy"],
    ways: SPLIT,
    rates: [10, 20],
  },
  first: {
    verbs: ["limit"],
    places: ["after an insert", "after another limit"],
    supplies: ["healthy", "just sufficient"],
    ways: EVERY_WAY,
    rates: [20],
  },
  limitAll: {
    verbs: ["limitAll"],
    places: ["alone", "after an insert"],
    supplies: ["healthy"],
    ways: SPLIT,
    rates: [20],
  },
  verbs: {
    verbs: Object.keys(VERBS),
    places: Object.keys(PLACES),
    supplies: Object.keys(SUPPLIES),
    ways: [...SPLIT, "incumbent 10"],
    rates: [20],
  },
};

/** What runs if nothing else is asked for. */
export const STANDARD = ["hot", "holds", "first", "limitAll"];

/** A load on one key. */
export type Scenario = {
  verb: string;
  place: string;
  supply: string;
  way: string;
  limiter: LimiterName;
  config: Config;
  mutations: readonly (readonly Step[])[];
  afterMs: number;
  workMs: number;
  /** The tokens that a granted call takes, if that is all it does to the limit. */
  takes?: number;
  callsPerSecond: number;
  seconds: number;
};

/** The scenarios of a selection, by rising rates. A way that lacks the verb has none. */
export function scenariosOf(
  { verbs, places, supplies, ways, rates }: Selection,
  { seconds, kind }: { seconds: number; kind: Config["kind"] },
): Scenario[] {
  const scenarios: Scenario[] = [];
  for (const callsPerSecond of [...rates].sort((a, b) => a - b)) {
    for (const verb of verbs) {
      const asked = named(VERBS, "verb", verb);
      for (const place of places) {
        const { before = [], workMs = 0 } = named(PLACES, "place", place);
        for (const supply of supplies) {
          const perSecond =
            named(SUPPLIES, "supply", supply) * asked.tokens * callsPerSecond;
          for (const way of ways) {
            const { limiter, shards } = wayOf(way);
            if (!(asked.of ?? ["ours"]).includes(limiter)) continue;
            scenarios.push({
              verb,
              place,
              supply,
              way,
              limiter,
              config: {
                ...refilling(kind, perSecond, asked.most ?? asked.tokens),
                ...asked.config,
                ...(shards !== undefined && { shards }),
              },
              mutations: asked.mutations.map((steps) => [
                ...before,
                ...steps,
                ...(workMs > 0 ? [WORK] : []),
              ]),
              afterMs: asked.afterMs ?? 0,
              workMs,
              ...(asked.onlyTakes && { takes: asked.tokens }),
              callsPerSecond,
              seconds,
            });
          }
        }
      }
    }
  }
  return scenarios;
}

const WORK: Step = ["work", "$work"];

/** A limit that refills so many tokens a second, and that a call's `most` tokens fit into. */
function refilling(
  kind: Config["kind"],
  perSecond: number,
  most: number,
): Config {
  const capacity = Math.max(most, 2 * perSecond);
  return kind === "token bucket"
    ? { kind, rate: perSecond, period: 1000, capacity }
    : {
        kind,
        rate: Math.max(most, 10 * perSecond),
        period: 10_000,
        start: 0,
      };
}

function named<Value>(
  values: Record<string, Value>,
  what: string,
  name: string,
): Value {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value !== undefined) return value;
  const known = Object.keys(values).join(", ");
  throw new Error(`no ${what} "${name}"; there are ${known}`);
}

/** A call whose duration is measured, one at a time. */
export type Timed = {
  call: string;
  mutations: Verb["mutations"];
  /** What the incumbent, which lacks the verb, does instead. */
  instead?: Verb["mutations"];
  afterMs?: number;
  config: Config;
  ways: readonly string[];
  isQuery?: true;
  /** Whether the limit is emptied first. */
  isEmpty?: true;
};

const AMPLE: Config = { kind: "token bucket", rate: 1e6, period: 1000 };
const SCARCE: Config = {
  kind: "fixed window",
  rate: 32,
  period: 36_000_000,
  start: 0,
};
const LIMITS = VERBS.limit!.mutations[0]!;
const PLAIN = ["default", "incumbent", "by hand"];
const EACH_SHARDS = [
  ...["default", "auto", "16", "1"],
  ...["incumbent", "incumbent 16", "by hand"],
];
const ask = (verb: string): Verb["mutations"] => [
  // A query that was answered before is not run again.
  [[verb, "$name", { ...LIMIT, key: "$each" }]],
];

export const TIMED: readonly Timed[] = [
  {
    call: "limit, granted",
    mutations: [LIMITS],
    config: AMPLE,
    ways: EACH_SHARDS,
  },
  {
    call: "limit, denied",
    mutations: [LIMITS],
    config: SCARCE,
    ways: EACH_SHARDS,
    isEmpty: true,
  },
  {
    call: "five limits in one mutation",
    mutations: [[LIMITS, LIMITS, LIMITS, LIMITS, LIMITS].flat()],
    config: AMPLE,
    ways: PLAIN,
  },
  {
    call: "check",
    mutations: ask("check"),
    config: AMPLE,
    ways: PLAIN,
    isQuery: true,
  },
  {
    call: "getValue",
    mutations: ask("getValue"),
    config: AMPLE,
    ways: ["default", "incumbent"],
    isQuery: true,
  },
  {
    call: "limitAll of two (two limits)",
    mutations: VERBS.limitAll!.mutations,
    instead: [[["limit", "user", USER], ...LIMITS]],
    config: AMPLE,
    ways: PLAIN,
  },
  {
    call: "hold, then settle",
    mutations: VERBS.settle!.mutations,
    config: AMPLE,
    ways: ["default"],
  },
  {
    call: "limit, then credit",
    mutations: VERBS.credit!.mutations,
    config: AMPLE,
    ways: ["default"],
  },
  ...["details", "statistics", "overrides"].map((verb) => ({
    call: `limit with ${verb}`,
    mutations: VERBS[verb]!.mutations,
    config: { ...AMPLE, ...VERBS[verb]!.config },
    ways: ["default"],
  })),
];
