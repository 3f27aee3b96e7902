/*
 * What apps call most. Each call loads this module with all that it imports, so that what is rare
 * stands in other modules. The names here are those of `@convex-dev/rate-limiter`.
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
 * Convex keeps what this module has loaded and evaluated for later calls, where it knows how to
 * (crates/isolate/src/context_cache.rs of its backend). So no module may keep state between calls.
 */
export const experimental_reuseContext = true;
