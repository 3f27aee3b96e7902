import { DAY, HOUR, MINUTE, WEEK } from "../core/periods.js";

/** How long each ban in a row lasts. */
export const BANS = [10 * MINUTE, HOUR, DAY];
/** How long after the end of a ban the next one is the first again. */
export const BANS_FORGOTTEN_AFTER = WEEK;
