/*
 * What apps call most. Each call loads this module with all that it imports, so that what is rare
 * stands in other modules. The names here are those of `@convex-dev/rate-limiter`.
 */

export { enqueueUpdates } from "../verbs/enqueueUpdates.js";
export { getServerTime } from "../verbs/getServerTime.js";
export { getValue } from "../verbs/getValue.js";
export { checkRateLimit, rateLimit } from "../verbs/limit.js";
export { clearAll, resetRateLimit } from "../verbs/reset.js";
