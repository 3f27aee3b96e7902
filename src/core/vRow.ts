import { v } from "convex/values";

/** What is stored of a row, without its name and key. */
export const vRow = () =>
  v.object({
    /** 0 up to the number of rows in use; 0 for a limit that is not split. */
    shard: v.number(),
    /** Tokens at the time `ts`; negative for a debt. */
    value: v.number(),
    /** When `value` was right; for a fixed window the start of its window. */
    ts: v.number(),
    /**
     * When the row will be full again, of windows of the calendar one window later: from
     * then on it says what an absent row says. Rows from `@convex-dev/rate-limiter` have
     * none until they are next written.
     */
    fullAt: v.optional(v.number()),
    /**
     * Of windows of the calendar, when the next tokens come, by the calendar that held when the
     * row was written.
     */
    nextAt: v.optional(v.number()),
    /**
     * When the row was last written, where the shard policy needs it and `ts` does not
     * tell: a fixed window that is split. Others go without, to keep rows small.
     */
    usedAt: v.optional(v.number()),
    /**
     * Over how many rows the limit was split when the row was written. The row of a limit that
     * was never split has none, but `fullAt`: it is the only one of its key. Rows from
     * `@convex-dev/rate-limiter` have neither, and are taken to be split as the limit is now.
     */
    of: v.optional(v.number()),
    /**
     * Of a split limit whose capacity an override has changed, the capacity of the whole
     * limit when the row was written.
     */
    capacity: v.optional(v.number()),
  });
