import {
  type GenericValidator,
  type Infer,
  v,
  type Validator,
} from "convex/values";
import { FIRST_USE } from "./bucket.js";
import type { FieldOfRefilling } from "./config.js";

/*
 * Validators are functions here and in the component: Convex asks for them when it analyses a push,
 * and never when it runs a function. So calls do not pay for building them. But they load those of
 * all functions, as JSON: `npm run test:push` pins how much.
 */

/** The fields that differ by kind, and those that are not stored under their own name. */
type KindSpecific = "kind" | "start" | "timeZone" | "weekStart" | "requireKey";

type RefillingField = Exclude<FieldOfRefilling, KindSpecific>;

const sharedFields = () => ({
  overrides: v.optional(v.boolean()),
  enforce: v.optional(v.union(v.boolean(), v.number())),
  stats: v.optional(v.union(v.boolean(), v.number())),
  warnAt: v.optional(v.union(v.number(), v.array(v.number()))),
});

const refillingFields = () =>
  ({
    ...sharedFields(),
    rate: v.number(),
    period: v.number(),
    capacity: v.optional(v.number()),
    maxReserved: v.optional(v.number()),
    maxDebt: v.optional(v.number()),
    shards: v.optional(v.union(v.number(), v.literal("auto"))),
    applyUpdates: v.optional(
      v.union(v.literal("transactionally"), v.literal("asynchronously")),
    ),
  }) satisfies Record<RefillingField, GenericValidator>;

const vTokenBucket = () =>
  v.object({
    kind: v.literal("token bucket"),
    ...refillingFields(),
    start: v.optional(v.null()),
  });

const vStart = () => v.union(v.number(), v.literal(FIRST_USE));

const vFixedWindow = () =>
  v.object({
    kind: v.literal("fixed window"),
    ...refillingFields(),
    start: v.optional(vStart()),
  });

/** What the client adds to a config that refills. */
const flagFields = () => ({
  advice: v.optional(v.boolean()),
  isInline: v.optional(v.boolean()),
});

/** A calendar as it is stored. Its names are not checked: see `parseCalendar`. */
export const vCalendar = () =>
  v.object({
    period: v.string(),
    timeZone: v.optional(v.string()),
    weekStart: v.optional(v.string()),
  });

const vStoredBucket = () => vTokenBucket().extend(flagFields());

const vStoredWindow = () =>
  vFixedWindow().extend({
    ...flagFields(),
    calendar: v.optional(vCalendar()),
  });

const vConcurrency = () =>
  v.object({
    kind: v.literal("concurrency"),
    ...sharedFields(),
    capacity: v.number(),
    lease: v.number(),
  });

/** Any {@link StoredRefillingConfig}. */
export const vStoredRefillingConfig = () =>
  v.union(vStoredBucket(), vStoredWindow());

/** Any {@link StoredConfig}. */
export const vStoredConfig = () =>
  v.union(vStoredBucket(), vStoredWindow(), vConcurrency());

/**
 * A config that refills as it comes with a call: one object and no union, to be small.
 * `checkConfig` requires what its kind needs.
 */
export const vGivenRefillingConfig = () =>
  v.object({
    ...refillingFields(),
    ...flagFields(),
    kind: v.union(v.literal("token bucket"), v.literal("fixed window")),
    start: v.optional(v.union(...vStart().members, v.null())),
    calendar: v.optional(vCalendar()),
  });

/** The same for a config of any kind. */
export const vGivenConfig = () =>
  v.object({
    ...vGivenRefillingConfig().fields,
    kind: v.union(
      v.literal("token bucket"),
      v.literal("fixed window"),
      v.literal("concurrency"),
    ),
    rate: v.optional(v.number()),
    period: v.optional(v.number()),
    lease: v.optional(v.number()),
  });
export type GivenConfig = Infer<ReturnType<typeof vGivenConfig>>;

/** What the component sends to itself: typed, but not validated. */
export const vOwn = <Type>(): Validator<Type, "required", string> => v.any();

/** The limits that an app names, with their current configs. */
export const vNamedLimits = () =>
  v.array(v.object({ name: v.string(), config: vGivenConfig() }));
export type NamedLimits = Infer<ReturnType<typeof vNamedLimits>>;

/** What a stored override does: change the config, ban, or make unlimited. */
export const vOverride = () =>
  v.union(
    v.object({
      config: v.object({
        rate: v.optional(v.number()),
        period: v.optional(v.number()),
        capacity: v.optional(v.number()),
        maxReserved: v.optional(v.number()),
        maxDebt: v.optional(v.number()),
        enforce: v.optional(v.union(v.boolean(), v.number())),
      }),
    }),
    v.object({ deny: v.literal(true) }),
    v.object({ unlimited: v.literal(true) }),
  );

/** What `setOverride` stores; without `key`, it is for the whole limit. */
export const vSetOverride = () =>
  vLimitKey().extend({
    override: vOverride(),
    /** When it begins, in ms since the epoch; absent for at once. */
    startsAt: v.optional(v.number()),
    /** When it ends, in ms since the epoch; absent for never. */
    expiresAt: v.optional(v.number()),
    note: v.optional(v.string()),
    /** The caller's id of the change, so that a retry changes nothing. */
    once: v.optional(v.string()),
  });

/** An override as it is listed. */
export const vListedOverride = () =>
  vSetOverride()
    .omit("once")
    .extend({
      /** Which consecutive ban this is, from 1 up; absent if set by `setOverride`. */
      bans: v.optional(v.number()),
      /** Until when the next ban continues the count, in ms; absent if set by `setOverride`. */
      forgetAt: v.optional(v.number()),
    });

export type ListedOverride = Infer<ReturnType<typeof vListedOverride>>;

/** An override as stored. */
export const vStoredOverride = () =>
  vListedOverride().extend({
    once: v.optional(v.string()),
    /**
     * Which of the overrides of its key, or of its limit, it is: 0 for the lasting one, 1 for the
     * one with an end, 2 for the ban of `penalize`. The highest in force applies.
     */
    layer: v.number(),
    /** For one that was set to begin later: the one that applies until then, with its own end. */
    before: v.optional(vSetOverride().omit("name", "key")),
  });

export type Override = Infer<ReturnType<typeof vOverride>>;
/** An override as a call sets it. */
export type SetOverride = Infer<ReturnType<typeof vSetOverride>>;

export type ConfigOverride = Extract<Override, { config: object }>["config"];

/** An override and when it holds: from `startsAt` up to, but not including, `expiresAt`. */
export type TimedOverride = Pick<
  Infer<ReturnType<typeof vSetOverride>>,
  "override" | "startsAt" | "expiresAt"
>;

/** A phase of a limit key, and its rows, in the form that a client can project. */
export const vShownPhase = () =>
  v.object({
    effect: v.union(
      v.literal("limited"),
      v.literal("banned"),
      v.literal("unlimited"),
    ),
    /**
     * The config with the override applied. Concurrency shows as a bucket without refill, calendars
     * with average periods.
     */
    config: v.object({
      kind: v.union(v.literal("token bucket"), v.literal("fixed window")),
      rate: v.number(),
      period: v.number(),
      capacity: v.optional(v.number()),
      /** Whether the limit denies this key. */
      enforce: v.optional(v.boolean()),
      start: v.optional(vStart()),
    }),
    /** When the phase ends, in ms since the epoch; absent for the last one. */
    until: v.optional(v.number()),
    /** How many rows the limit is split over now. */
    shards: v.number(),
    /**
     * The stored rows; the others are full. For a concurrency limit, its leases: each shows what it
     * alone would leave of the capacity. A row written under another calendar has windows of its
     * own, which start at `starts`.
     */
    rows: v.array(
      v.object({
        value: v.number(),
        ts: v.number(),
        usedAt: v.optional(v.number()),
        /** For a lease, when it ends. */
        endsAt: v.optional(v.number()),
        starts: v.optional(v.array(v.number())),
        /** How many such rows would make up the whole limit, if it is not split evenly. */
        parts: v.optional(v.number()),
      }),
    ),
    /** When the key is idle: from then on it is full, whatever the config. */
    fullFrom: v.optional(v.number()),
    /** When calendar windows start: the rows' own, and those after it. */
    starts: v.optional(v.array(v.number())),
  });
export type ShownPhase = Infer<ReturnType<typeof vShownPhase>>;

/** What `getValue` returns. */
export const vValue = () =>
  v.object({
    value: v.number(),
    ts: v.number(),
    shard: v.number(),
    config: v.union(vTokenBucket(), vFixedWindow(), vConcurrency()),
    phases: v.optional(v.array(vShownPhase())),
  });

/** How many calls were granted and denied. */
export const vStats = () =>
  v.object({
    granted: v.number(),
    denied: v.number(),
    /** How many of the granted calls a dry run would have denied; absent for none. */
    wouldDeny: v.optional(v.number()),
    /** How many tokens were taken. */
    tokens: v.number(),
    /**
     * How many of the granted calls found a row that another one had just written, so the two could
     * have conflicted; absent for none.
     */
    closeCalls: v.optional(v.number()),
  });

export type Stats = Infer<ReturnType<typeof vStats>>;

export const vResolution = () =>
  v.union(v.literal("minute"), v.literal("hour"));

export type Resolution = Infer<ReturnType<typeof vResolution>>;

/** How often a key was denied. */
export const vDeniedKey = () =>
  v.object({ key: v.string(), denied: v.number() });

export type DeniedKey = Infer<ReturnType<typeof vDeniedKey>>;

/** How often a key was denied in an hour. */
export const vDeniedHour = () =>
  v.object({
    /** When the hour begins, in ms. */
    from: v.number(),
    denied: v.number(),
    /** Whether `denied` may be too low, since the hour had more keys than are kept. */
    isLowerBound: v.boolean(),
  });

export type DeniedHour = Infer<ReturnType<typeof vDeniedHour>>;

/** A limit and one of its keys; without `key`, the shared balance. */
export const vLimitKey = () =>
  v.object({ name: v.string(), key: v.optional(v.string()) });

export type LimitKey = Infer<ReturnType<typeof vLimitKey>>;

/** A row as stored, without its name and key. */
export const vRow = () =>
  v.object({
    /** The number of the row: 0, or that of a row below it, see state/spread/tree.ts. */
    shard: v.number(),
    /** Tokens at the time `ts`; negative for a debt. */
    value: v.number(),
    /** The time of `value`, in ms; for a fixed window, the start of its window. */
    ts: v.number(),
    /**
     * When the row is full, in ms, under every rule that was known when it was written; for
     * calendar windows whose config comes with the calls, 26 hours later. An hour after all rows of
     * a key are full, the key is idle. Rows from `@convex-dev/rate-limiter` have none until they are next written.
     */
    fullAt: v.optional(v.number()),
    /**
     * For calendar windows: when the next tokens arrive, in ms, by the calendar that the limit had
     * when the row was written.
     */
    nextAt: v.optional(v.number()),
    /**
     * When the row was last written, in ms. Absent if that is `ts`: only fixed windows, whose `ts`
     * is the start of a window, and rows that were split store it.
     */
    usedAt: v.optional(v.number()),
    /** For a key that holds: the least room since some of the holds, see core/held.ts. */
    held: v.optional(
      v.array(v.object({ since: v.number(), room: v.number() })),
    ),
    /* The fields of a limit that is split, see state/spread. */
    /** Into how many parts the row was split. */
    into: v.optional(v.number()),
    /** For row 0, the rule by which the rows below it count. */
    rule: v.optional(v.string()),
    /** For row 0, true if a single row below it may be in debt while others hold tokens. */
    owes: v.optional(v.literal(true)),
    /** When the row was committed, in ns. Only for limits that can be split. */
    at: v.optional(v.int64()),
    /** How many writes in turn, up to the last one, were close to the one before. */
    close: v.optional(v.number()),
    /** When a call that wrote the row saw that calls overlap, in ms. */
    overlappedAt: v.optional(v.number()),
    /**
     * For row 0, the rule of the config with which the key was last called, without overrides.
     * Stored if the config came with the call, since holds are settled by it.
     */
    plan: v.optional(v.string()),
  });

/** What a sweep does: see `sweeps` of the schema. */
export const vSweepTask = () =>
  v.union(v.literal("forget"), v.literal("reset"));

export type SweepTask = Infer<ReturnType<typeof vSweepTask>>;
