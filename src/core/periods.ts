/** One second, in ms. */
export const SECOND = 1000;
/** One minute, in ms. */
export const MINUTE = 60 * SECOND;
/** One hour, in ms. */
export const HOUR = 60 * MINUTE;
/** One day, in ms. */
export const DAY = 24 * HOUR;
/** One week, in ms. */
export const WEEK = 7 * DAY;
