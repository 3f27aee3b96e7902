import { RateLimiter } from "@convex-dev/rate-limiter";
import { functionsOf } from "../steps.js";
import { components } from "./_generated/api.js";

const limiter = new RateLimiter(components.peer);

/** One request of an app, with `@convex-dev/rate-limiter`. */
export const { run, ask } = functionsOf(limiter);
