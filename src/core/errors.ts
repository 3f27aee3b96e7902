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

/** The `data` of the error for an id that no hold has ever had. */
export type NoHoldError = { kind: "NoHold" };

export function noHoldError(id: string): ConvexError<NoHoldError> {
  const error = new ConvexError<NoHoldError>({ kind: "NoHold" });
  error.message = `${id} is not the id of a hold.`;
  return error;
}

/**
 * The `data` of the error for a cursor of another list. It is that of Convex's own error, on which
 * its hooks start again with the first page.
 */
export type InvalidCursorError = {
  isConvexSystemError: true;
  paginationError: "InvalidCursor";
};

export function invalidCursorError(
  cursor: string,
): ConvexError<InvalidCursorError> {
  const error = new ConvexError<InvalidCursorError>({
    isConvexSystemError: true,
    paginationError: "InvalidCursor",
  });
  error.message = `InvalidCursor: ${JSON.stringify(cursor)}`;
  return error;
}

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
