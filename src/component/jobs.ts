/* What the cron and the scheduler run, with the queries by which jobs find what to do. */

export { clear, newestStored } from "../functions/clear.js";
export { forgetStep, keyIn } from "../functions/forget.js";
export { fold, oldestEvents } from "../functions/stats.js";
export { idleKeys, vacuum } from "../functions/vacuum.js";
