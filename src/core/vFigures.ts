import { v, type Infer } from "convex/values";

/** What is counted of calls. */
export const vFigures = () =>
  v.object({
    granted: v.number(),
    denied: v.number(),
    /** Of those granted, how many a dry run would have denied; absent for none. */
    wouldDeny: v.optional(v.number()),
    /** The tokens that they took. */
    tokens: v.number(),
  });

export type Figures = Infer<ReturnType<typeof vFigures>>;

export const vBy = () => v.union(v.literal("minute"), v.literal("hour"));

export type By = Infer<ReturnType<typeof vBy>>;

/** How often a key was denied. */
export const vDeniedKey = () =>
  v.object({ key: v.string(), denied: v.number() });

export type DeniedKey = Infer<ReturnType<typeof vDeniedKey>>;
