import { v, type GenericValidator, type Infer } from "convex/values";
import type { FieldOfRefilling } from "./config.js";

/*
 * Validators are functions here and in the component: Convex asks for them when it analyses a
 * push, and never when it runs a function. So calls do not pay for building them.
 */

/** The fields that differ by kind, or that are not stored under their own name. */
type Apart = "kind" | "start" | "timeZone" | "weekStart" | "requireKey";

type Common = Exclude<FieldOfRefilling, Apart> | "advice" | "isInline";

const switches = () => ({
  overrides: v.optional(v.boolean()),
  enforce: v.optional(v.union(v.boolean(), v.number())),
  stats: v.optional(v.union(v.boolean(), v.number())),
  warnAt: v.optional(v.union(v.number(), v.array(v.number()))),
});

const common = () =>
  ({
    ...switches(),
    rate: v.number(),
    period: v.number(),
    capacity: v.optional(v.number()),
    maxReserved: v.optional(v.number()),
    shards: v.optional(v.union(v.number(), v.literal("auto"))),
    applyUpdates: v.optional(
      v.union(v.literal("transactionally"), v.literal("asynchronously")),
    ),
    headroom: v.optional(v.number()),
    advice: v.optional(v.boolean()),
    isInline: v.optional(v.boolean()),
  }) satisfies Record<Common, GenericValidator>;

const vTokenBucket = () =>
  v.object({
    kind: v.literal("token bucket"),
    ...common(),
    start: v.optional(v.null()),
  });

const vFixedWindow = () =>
  v.object({
    kind: v.literal("fixed window"),
    ...common(),
    start: v.optional(v.number()),
  });

const vStoredWindow = () =>
  vFixedWindow().extend({
    calendar: v.optional(
      v.object({
        period: v.string(),
        timeZone: v.optional(v.string()),
        weekStart: v.optional(v.string()),
      }),
    ),
  });

export const vConcurrency = () =>
  v.object({
    kind: v.literal("concurrency"),
    ...switches(),
    capacity: v.number(),
    lease: v.number(),
  });

/** Either kind of {@link RateLimitConfig}. */
export const vConfig = () => v.union(vTokenBucket(), vFixedWindow());

/** Any {@link StoredRateLimit}. */
export const vStoredRateLimit = () => v.union(vTokenBucket(), vStoredWindow());

/** Any {@link StoredConfig}. */
export const vStoredConfig = () =>
  v.union(vTokenBucket(), vStoredWindow(), vConcurrency());

/** The limits that an app names, with their current configs. */
export const vNamedLimits = () =>
  v.array(v.object({ name: v.string(), config: vStoredConfig() }));
export type NamedLimits = Infer<ReturnType<typeof vNamedLimits>>;
