/* The queries that mutations run on a stale snapshot, without a read dependency. */

export { storedRows } from "../verbs/looks.js";

/** For the reason that `lib.ts` gives. */
export const experimental_reuseContext = true;
