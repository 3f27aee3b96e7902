import { type Infer, v } from "convex/values";

/** A limit and one of its keys; without `key`, the balance that all callers share. */
export const vLimitKey = () =>
  v.object({ name: v.string(), key: v.optional(v.string()) });

export type LimitKey = Infer<ReturnType<typeof vLimitKey>>;

/** A row as stored, without its name and key. */
export const vRow = () =>
  v.object({
    /** The number of the row: 0, or that of a row below it, see core/tree.ts. */
    shard: v.number(),
    /** Tokens at the time `ts`; negative for a debt. */
    value: v.number(),
    /** The time of `value`, in ms; for a fixed window, the start of its window. */
    ts: v.number(),
    /**
     * When the row is full, in ms, under every rule that was known when it was written; for
     * calendar windows, one window later. An hour after all rows of a key are full, the key is
     * idle. Rows from `@convex-dev/rate-limiter` have none until they are next written.
     */
    fullAt: v.optional(v.number()),
    /**
     * For calendar windows: when the next tokens arrive, in ms, by the calendar that the limit had
     * when the row was written.
     */
    nextAt: v.optional(v.number()),
    /**
     * When the row was last written, in ms: a new rule counts from then on, and the shard policy
     * goes by it. Absent if that is `ts`: only fixed windows, whose `ts` is the start of a window,
     * and rows that were split store it.
     */
    usedAt: v.optional(v.number()),
    /** Into how many rows this one was split: see core/tree.ts. */
    into: v.optional(v.number()),
    /**
     * For row 0, the rule under which it was written, see core/limit.ts. Stored once it is split,
     * since the rows below it count under that rule; or if the config came with the call, since a
     * hold may be settled by it.
     */
    rule: v.optional(v.string()),
    /** When the row was committed, in ns. Only for limits that split themselves, like `calm`. */
    at: v.optional(v.int64()),
    /** How long the row rests between writes, in units of what a write takes: see core/heat.ts. */
    calm: v.optional(v.number()),
  });

/** A debit as stored, without its limit, key and commit. */
export const vDebit = () =>
  v.object({
    /** The `at` of the newest debit that the transaction saw; 0 for none. */
    seen: v.int64(),
    /** The tokens that it took; negative if it gave tokens back. */
    count: v.number(),
    /** Whether the limit was made full before `count` was taken. */
    reset: v.optional(v.literal(true)),
    /** The balance that it left, given what it saw. Fields as in a row of `rateLimits`. */
    value: v.number(),
    ts: v.number(),
    fullAt: v.number(),
    nextAt: v.optional(v.number()),
    usedAt: v.optional(v.number()),
    /** The rule by which it was written, see core/limit.ts; absent if `clearAll` wrote it. */
    rule: v.optional(v.string()),
  });

/** What one transaction took from an asynchronous limit. */
export type Debit = Infer<ReturnType<typeof vDebit>> & {
  /** Its place in the order of all commits; undefined for this transaction's own debit. */
  at?: bigint | undefined;
};
