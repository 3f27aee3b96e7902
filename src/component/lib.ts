/*
 * What apps call most. The first call loads this module with all that it imports, so that what is
 * rare stands in other modules. The names here are those of `@convex-dev/rate-limiter`.
 */

export {
  checkRateLimit,
  clearAll,
  enqueueUpdates,
  getValue,
  rateLimit,
  resetRateLimit,
} from "../functions/limits.js";
export { getServerTime } from "../functions/time.js";

/**
 * Convex keeps this module for later calls, with all that it has evaluated
 * (crates/isolate/src/context_cache.rs of its backend). So what it imports must keep no state.
 */
export const experimental_reuseContext = true;
