import { RateLimiter as Peer } from "@convex-dev/rate-limiter";
import { isExceedsCapacityError, RateLimiter } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

/*
 * The caller chooses the limit and its config. No real app may allow that: this one is for a
 * deployment that is used for nothing else.
 */

const limiters = {
  "convex-rate-limiter": new RateLimiter(
    components.rateLimiter,
    {},
    { advice: false },
  ),
  "@convex-dev/rate-limiter": new Peer(components.peer),
};

const vLimiter = v.union(
  v.literal("convex-rate-limiter"),
  v.literal("@convex-dev/rate-limiter"),
);

const numbers = {
  rate: v.number(),
  period: v.number(),
  capacity: v.optional(v.number()),
  shards: v.number(),
};

const vConfig = v.union(
  v.object({ kind: v.literal("token bucket"), ...numbers }),
  v.object({
    kind: v.literal("fixed window"),
    start: v.number(),
    ...numbers,
  }),
);

const vTaken = v.object({
  /** Unsupported: so large a count is never granted. */
  answer: v.union(
    v.literal("granted"),
    v.literal("denied"),
    v.literal("unsupported"),
  ),
  /** The clock of the transaction: when its last attempt began. */
  now: v.number(),
});

export type Taken = Infer<typeof vTaken>;

/** One request of an app: a mutation that only asks the limiter. */
export const take = mutation({
  args: {
    limiter: vLimiter,
    name: v.string(),
    count: v.number(),
    config: vConfig,
  },
  returns: vTaken,
  handler: async (ctx, { limiter, name, count, config }): Promise<Taken> => {
    const now = Date.now();
    try {
      const options = { count, config };
      const { ok } =
        limiter === "convex-rate-limiter"
          ? await limiters[limiter].limit(ctx, name, options)
          : await limiters[limiter].limit(ctx, name, options);
      return { answer: ok ? "granted" : "denied", now };
    } catch (error) {
      if (isUnsupported(error)) return { answer: "unsupported", now };
      throw error;
    }
  },
});

/** Removes what a run leaves behind. */
export const reset = mutation({
  args: { limiter: vLimiter, name: v.string(), config: vConfig },
  returns: v.null(),
  handler: async (ctx, { limiter, name, config }) => {
    if (limiter === "convex-rate-limiter") {
      await limiters[limiter].reset(ctx, name, { config });
    } else {
      await limiters[limiter].reset(ctx, name);
    }
    return null;
  },
});

function isUnsupported(error: unknown): boolean {
  return (
    isExceedsCapacityError(error) ||
    (error instanceof Error && /count .* exceeds .* per/.test(error.message))
  );
}
