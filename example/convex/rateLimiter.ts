import { HOUR, MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api.js";

/**
 * Every limit of this app, in one place. Where each user or address has its own, `requireKey` makes
 * it an error to forget the key.
 */
export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // For everyone together: a wave of new accounts must not drown the app.
  signUp: { kind: "fixed window", rate: 100, period: HOUR },

  // For each address that they come from.
  signUpFrom: {
    kind: "fixed window",
    rate: 10,
    period: HOUR,
    requireKey: true,
  },

  // For each account that somebody tries to enter, whoever tries.
  failedLogins: {
    kind: "token bucket",
    rate: 5,
    period: HOUR,
    requireKey: true,
  },

  // For each user: three messages at once, then one every six seconds.
  sendMessage: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    capacity: 3,
    requireKey: true,
    // Operators may ban somebody, or give them more.
    overrides: true,
    stats: true,
  },

  // For each user: what the language model may cost in a day.
  modelTokens: {
    kind: "fixed window",
    rate: 1_000,
    period: "day",
    requireKey: true,
  },

  // For everyone together: what the mail provider allows. The rest waits, up to 20 deep.
  mail: {
    kind: "token bucket",
    rate: 1,
    period: 5 * SECOND,
    capacity: 1,
    maxReserved: 20,
  },

  // For each user who writes letters.
  writeLetter: {
    kind: "token bucket",
    rate: 10,
    period: HOUR,
    capacity: 5,
    requireKey: true,
  },

  // For each address that reads the feed.
  feed: { kind: "fixed window", rate: 30, period: MINUTE, requireKey: true },
});
