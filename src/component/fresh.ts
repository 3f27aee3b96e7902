import { mutation } from "./_generated/server.js";
import { askAll, askOne, askValue } from "./ask.js";

/**
 * The queries of `lib` once more, as mutations that write nothing: for limits whose takings
 * are appended, when a mutation or an action asks. Only what runs as a mutation can see what
 * others wrote without a read dependency, and no answer of a mutation is a cached one.
 */

/** What `rateLimit` would say. */
export const checkRateLimit = mutation(askOne);

/** What `limitAll` would say. */
export const checkAll = mutation(askAll);

/** The balance of the whole limit and when it was right. */
export const getValue = mutation(askValue);
