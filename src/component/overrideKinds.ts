import { v, type Infer } from "convex/values";

/** What a stored override does: change the rule, ban, or lift the limit. */
export const vOverride = v.union(
  v.object({
    config: v.object({
      rate: v.optional(v.number()),
      period: v.optional(v.number()),
      capacity: v.optional(v.number()),
      maxReserved: v.optional(v.number()),
    }),
  }),
  v.object({ deny: v.literal(true) }),
  v.object({ unlimited: v.literal(true) }),
);

export type Override = Infer<typeof vOverride>;
