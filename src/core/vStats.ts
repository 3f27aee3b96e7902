import { v, type Infer } from "convex/values";

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
     * How many of the granted calls found a row that another one had just written, so that the two
     * could have conflicted; absent for none.
     */
    closeCalls: v.optional(v.number()),
  });

export type Stats = Infer<ReturnType<typeof vStats>>;

export const vBy = () => v.union(v.literal("minute"), v.literal("hour"));

export type By = Infer<ReturnType<typeof vBy>>;

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
    /** Whether it can be more: the hour had more keys than are kept. */
    isLeast: v.boolean(),
  });

export type DeniedHour = Infer<ReturnType<typeof vDeniedHour>>;
