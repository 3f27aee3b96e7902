import { v, type Infer } from "convex/values";

const common = {
  rate: v.number(),
  period: v.number(),
  capacity: v.optional(v.number()),
  maxReserved: v.optional(v.number()),
  shards: v.optional(v.number()),
  applyUpdates: v.optional(
    v.union(v.literal("transactionally"), v.literal("asynchronously")),
  ),
  overrides: v.optional(v.boolean()),
  enforce: v.optional(v.union(v.boolean(), v.number())),
  stats: v.optional(v.union(v.boolean(), v.number())),
  headroom: v.optional(v.number()),
};

export const vTokenBucket = v.object({
  kind: v.literal("token bucket"),
  ...common,
  start: v.optional(v.null()),
});

export const vFixedWindow = v.object({
  kind: v.literal("fixed window"),
  ...common,
  start: v.optional(v.number()),
});

export const vConcurrency = v.object({
  kind: v.literal("concurrency"),
  capacity: v.number(),
  lease: v.number(),
  overrides: common.overrides,
  enforce: common.enforce,
  stats: common.stats,
});

/** Either kind of {@link RateLimitConfig}, as it crosses into the component. */
export const vConfig = v.union(vTokenBucket, vFixedWindow);

/** Any {@link StoredRateLimit}. */
export const vStoredRateLimit = v.union(
  vTokenBucket,
  v.object({
    ...vFixedWindow.fields,
    calendar: v.optional(
      v.object({
        period: v.string(),
        timeZone: v.optional(v.string()),
        weekStart: v.optional(v.string()),
      }),
    ),
  }),
);

/** Any {@link StoredConfig}. */
export const vStoredConfig = v.union(...vStoredRateLimit.members, vConcurrency);

/** The limits that an app names, as they are now. */
export const vNamedLimits = v.array(
  v.object({ name: v.string(), config: vStoredConfig }),
);
export type NamedLimits = Infer<typeof vNamedLimits>;
