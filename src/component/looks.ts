/* The queries that mutations run on a stale snapshot, without a read dependency. */

export { storedRows } from "../verbs/looks.js";
