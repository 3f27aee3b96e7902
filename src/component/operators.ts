/* What operators ask. */

export { forget } from "../verbs/forget.js";
export { leases } from "../verbs/leases.js";
export { list, names } from "../verbs/list.js";
export { listOverrides } from "../verbs/listOverrides.js";
export { resetAll } from "../verbs/resetAll.js";
export { deniedOf, stats, topDenied } from "../verbs/stats.js";
export { isSweeping } from "../verbs/sweeps.js";
