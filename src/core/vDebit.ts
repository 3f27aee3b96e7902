import { v, type Infer } from "convex/values";

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
    /** The rule by which it was written, see core/limit.ts; absent if `clearAll` wrote it. */
    rule: v.optional(v.string()),
  });

/** What one transaction took from an asynchronous limit. */
export type Debit = Infer<ReturnType<typeof vDebit>> & {
  /** Its place in the order of all commits; undefined for this transaction's own debit. */
  at?: bigint | undefined;
};
