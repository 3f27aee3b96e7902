/* What operators ask. */

export { forget, isForgetting } from "../functions/forget.js";
export { leases, list, listOverrides, names } from "../functions/list.js";
export { deniedOf, stats, topDenied } from "../functions/stats.js";
