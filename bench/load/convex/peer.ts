import { RateLimiter } from "@convex-dev/rate-limiter";
import { take, vSteps, vTaken } from "../steps.js";
import { components } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";

const limiter = new RateLimiter(components.peer);

/** One request of an app, with `@convex-dev/rate-limiter`. */
export const run = mutation({
  args: { steps: vSteps },
  returns: vTaken,
  handler: (ctx, { steps }) => take(ctx, limiter, steps),
});

export const ask = query({
  args: { steps: vSteps },
  returns: vTaken,
  handler: (ctx, { steps }) => take(ctx, limiter, steps),
});
