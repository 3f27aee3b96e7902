/* What the cron and the scheduler run, with the queries by which jobs find what to do. */

export { clear, newestStored } from "../verbs/clear.js";
export { sweepStep, toSweep } from "../verbs/sweeps.js";
export { fold, oldestEvents } from "../verbs/stats.js";
export { idleKeys, vacuum } from "../verbs/vacuum.js";
