import { RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { v } from "convex/values";
import { functionsOf } from "../steps.js";
import { components } from "./_generated/api.js";
import { internalMutation, type MutationCtx } from "./_generated/server.js";

const jobReference = makeFunctionReference<"mutation">("ours:job");

class Limiter extends RateLimiter {
  /** `schedule` with a job that does nothing, since a caller cannot send a function. */
  scheduleJob(
    ctx: MutationCtx,
    name: string,
    options: { key?: string; jitter?: number; config: RateLimitConfig },
  ) {
    return this.schedule(ctx, name, { ...options, fn: jobReference, args: {} });
  }
}

const limiter = new Limiter(components.rateLimiter, {}, { advice: false });

/** One request of an app, with `convex-rate-limiter`. */
export const { run, ask } = functionsOf(limiter);

/** What `scheduleJob` schedules. */
export const job = internalMutation({
  args: {},
  returns: v.null(),
  handler: () => null,
});
