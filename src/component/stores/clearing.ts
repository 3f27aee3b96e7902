import { v, type Infer } from "convex/values";
import { vLimitKey } from "../../core/vLimitKey.js";

/** The most rows to delete, or keys to make full, in one transaction. */
export const CLEARED_AT_ONCE = 100;

/** What is left to clear in a store. */
export const vFrom = () =>
  v.object({
    /** Clears only what was stored up to this time, in ms. */
    before: v.number(),
    /** Rows and holds, cleared newest first: continue with those created up to this time. */
    cursor: v.optional(v.number()),
    /** Debits, cleared by name and key: continue after this one. */
    after: v.optional(vLimitKey()),
  });

export type From = Infer<ReturnType<typeof vFrom>>;
