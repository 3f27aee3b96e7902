import { ConvexError } from "convex/values";

/** The `data` of the error for a denied request. */
export type RateLimitError = {
  kind: "RateLimited";
  /** The limit that denied. */
  name: string;
  /** In ms: when the same request could be granted. */
  retryAfter: number;
  /** The key that was denied, if the limit has one. */
  key?: string;
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

export function rateLimitedError(
  name: string,
  key: string | undefined,
  retryAfter: number,
): ConvexError<RateLimitError> {
  const error = new ConvexError<RateLimitError>({
    kind: "RateLimited",
    name,
    retryAfter,
    ...(key !== undefined && { key }),
  });
  const whose = key === undefined ? "" : ` for ${key}`;
  error.message = `RateLimited: Rate limit ${name}${whose} is used up. Retry after ${retryAfter} ms.`;
  return error;
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
