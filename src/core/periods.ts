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

/** The average length of each calendar period over 400 years, in ms. */
export const PERIOD_MS = {
  day: DAY,
  week: WEEK,
  month: 30.436875 * DAY,
  year: 365.2425 * DAY,
};

export const PERIODS = ["day", "week", "month", "year"] as const;
