/* What operators ask. */

export { forget, isForgetting } from "../verbs/forget.js";
export { leases, list, listOverrides, names } from "../verbs/list.js";
export { deniedOf, stats, topDenied } from "../verbs/stats.js";
