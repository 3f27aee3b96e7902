/* What the cron and the scheduler run, with the queries by which jobs find what to do. */

export { clear, clearRest, newestStored } from "../functions/clear.js";
export {
  denialsOfKey,
  eventsOfKey,
  forgetStep,
  limitsOfKey,
} from "../functions/forget.js";
export { shrink } from "../functions/shrink.js";
export { fold, oldestEvents } from "../functions/stats.js";
export { idleRows, vacuum } from "../functions/vacuum.js";
