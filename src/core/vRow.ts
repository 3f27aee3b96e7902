import { v } from "convex/values";

/** A row as stored, without its name and key. */
export const vRow = () =>
  v.object({
    /** The number of the row, from 0 up; 0 for a limit that is not split. */
    shard: v.number(),
    /** Tokens at the time `ts`; negative for a debt. */
    value: v.number(),
    /** The time of `value`, in ms; for a fixed window, the start of its window. */
    ts: v.number(),
    /**
     * When the row counts as absent, in ms: once it is full, or one window later for calendar
     * windows. Rows from `@convex-dev/rate-limiter` have none until they are next written.
     */
    fullAt: v.optional(v.number()),
    /**
     * For calendar windows: when the next tokens arrive, in ms, by the calendar that the limit had
     * when the row was written.
     */
    nextAt: v.optional(v.number()),
    /**
     * When the row was last written, in ms. Only for fixed windows, whose `ts` does not tell: the
     * shard policy needs it, and the advice on close calls. Other rows omit it, to stay small.
     */
    usedAt: v.optional(v.number()),
    /**
     * How many rows the limit was split over when the row was written. Absent with a `fullAt`: the
     * limit was never split, and this is its key's only row. Absent without one: the row is from
     * `@convex-dev/rate-limiter`, and counts as split like the limit is now.
     */
    of: v.optional(v.number()),
    /**
     * The capacity of the whole limit when the row was written. Only for split limits whose
     * capacity an override had changed.
     */
    capacity: v.optional(v.number()),
    /** Into how many rows this one was split, if the limit splits itself: see core/tree.ts. */
    into: v.optional(v.number()),
    /** When the row was committed, in ns. Only of limits that split themselves, as `calm` is. */
    at: v.optional(v.int64()),
    /** How long the row rests between writes, in units of what a write takes: see core/heat.ts. */
    calm: v.optional(v.number()),
  });
