/*
 * What apps call most. A call may have to load this module with all that it imports, so what apps
 * rarely call is in other modules. The names here are those of `@convex-dev/rate-limiter`.
 */

export { enqueueUpdates } from "../verbs/enqueueUpdates.js";
export { getServerTime } from "../verbs/getServerTime.js";
export { getValue } from "../verbs/getValue.js";
export { checkRateLimit, rateLimit } from "../verbs/limit.js";
export { clearAll, resetRateLimit } from "../verbs/reset.js";

/**
 * Asks Convex to keep what this module has loaded and evaluated for its next call
 * (crates/isolate/src/context_cache.rs of the backend), so nothing that it imports may keep state
 * between calls. What operators and jobs call does not ask: whatever is loaded afresh takes the
 * place of what was kept.
 */
export const experimental_reuseContext = true;
