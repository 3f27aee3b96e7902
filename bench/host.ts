import { RateLimiter, type RateLimitConfig } from "@convex-dev/rate-limiter";
import type { ComponentApi } from "@convex-dev/rate-limiter/_generated/component.js";
import { componentsGeneric, mutationGeneric } from "convex/server";

type Args = { name: string; count: number; config: RateLimitConfig };

/** A mutation of an app that has mounted the other package, and calls it through its client. */
export const limit = mutationGeneric({
  handler: async (ctx, { name, count, config }: Args) => {
    const component = componentsGeneric().rateLimiter as unknown;
    const limiter = new RateLimiter(component as ComponentApi);
    return await limiter.limit(ctx, name, { count, config });
  },
});
