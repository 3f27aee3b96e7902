/* The queries that mutations run on a stale snapshot, without a read dependency. */

export { storedRows } from "../functions/looks.js";

/**
 * Convex keeps what this module has loaded and evaluated for later calls, where it knows how to
 * (crates/isolate/src/context_cache.rs of its backend). So no module may keep state between calls.
 */
export const experimental_reuseContext = true;
