import { v, type Infer } from "convex/values";
import { vLimitKey } from "../../core/vLimitKey.js";

/** So many rows are deleted, or keys made full, in one transaction at most. */
export const CLEARED_AT_ONCE = 100;

/** What is still to be cleared of a store. */
export const vFrom = () =>
  v.object({
    /** What was stored up to this time. */
    before: v.number(),
    /** Only what was stored up to this time is left: rows and holds go newest first. */
    cursor: v.optional(v.number()),
    /** Only what comes after this one is left: debits go by name and key. */
    after: v.optional(vLimitKey()),
  });

export type From = Infer<ReturnType<typeof vFrom>>;
