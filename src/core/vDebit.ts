import { v, type Infer } from "convex/values";

/** What is stored of a debit, without its limit, key and commit. */
export const vDebit = () =>
  v.object({
    /** The `at` of the newest debit that its transaction saw; 0 for none. */
    seen: v.int64(),
    /** The tokens that it took; negative if it gave back. */
    count: v.number(),
    /** Whether the limit was made full before `count` was taken. */
    reset: v.optional(v.literal(true)),
    /** The balance that it left, as far as it saw, as in a row of `rateLimits`. */
    value: v.number(),
    ts: v.number(),
    fullAt: v.number(),
    nextAt: v.optional(v.number()),
    /** Which kind, rate and capacity it was written by; absent if `clearAll` wrote it. */
    fingerprint: v.optional(v.string()),
  });

/** What one transaction took from an asynchronous limit. */
export type Debit = Infer<ReturnType<typeof vDebit>> & {
  /** Its place in the order of all commits; undefined for the own transaction's. */
  at?: bigint | undefined;
};
