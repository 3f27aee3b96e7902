import { ConvexError } from "convex/values";

/**
 * The `data` of the error for a denied request. It has no key, which may be a secret: the error
 * reaches browsers and logs.
 */
export type RateLimitError = {
  kind: "RateLimited";
  /** The limit that denied. */
  name: string;
  /** In ms: when the same request could be granted. */
  retryAfter: number;
};

/** The `data` of the error for a request that can never be granted. */
export type ExceedsCapacityError = {
  kind: "ExceedsCapacity";
  /** The limit that cannot grant the request. */
  name: string;
  /** The tokens that were asked for. */
  count: number;
  /** The most that could ever be granted. */
  max: number;
};

/** Its text is the data as JSON, in which apps search. */
export function rateLimitedError(
  name: string,
  retryAfter: number,
): ConvexError<RateLimitError> {
  return new ConvexError({ kind: "RateLimited", name, retryAfter });
}

export function exceedsCapacityError(
  name: string,
  count: number,
  max: number,
): ConvexError<ExceedsCapacityError> {
  const error = new ConvexError<ExceedsCapacityError>({
    kind: "ExceedsCapacity",
    name,
    count,
    max,
  });
  error.message = `Rate limit ${name} count ${count} exceeds ${max}. No wait will help.`;
  return error;
}
