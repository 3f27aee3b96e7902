import { DAY, HOUR, MINUTE, WEEK } from "../core/periods.js";

/** How long each consecutive ban lasts. */
export const BANS = [10 * MINUTE, HOUR, DAY];
/** How long after the end of a ban the next one starts over. */
export const BANS_FORGOTTEN_AFTER = WEEK;
