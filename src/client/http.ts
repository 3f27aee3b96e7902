import type { ConvexError } from "convex/values";
import type { RefillingConfig } from "../core/config.js";
import type { RateLimitError } from "../core/errors.js";
import {
  draft11Fields,
  printable,
  wholeNumber,
  wholeSeconds,
} from "./draft11.js";
import type {
  LimitAllReturns,
  RateLimitDetails,
  RateLimitReturns,
} from "./types.js";

/** How the headers describe a limit to HTTP clients. */
export type RateLimitHeaderOptions = {
  /**
   * The limit's name for clients: often the same as in the app. Characters outside printable ASCII
   * are percent-encoded, since the headers cannot hold them.
   */
  name: string;
  /**
   * The limit's config, or the part of it that gives the window: the time in which an empty limit
   * becomes full, `period * capacity / rate`, so that quota and window together give the limit's
   * rate. Without `capacity` it is the `period`; for a calendar period, its average length. Absent:
   * the headers leave the window out.
   */
  config?: Pick<RefillingConfig, "rate" | "period" | "capacity"> | undefined;
  /**
   * What `count` counts: a unit of the draft's registry of quota units. LLM tokens, for example,
   * are not in it.
   * @default "requests"
   */
  unit?: "requests" | "content-bytes" | "concurrent-requests" | undefined;
  /**
   * Distinguishes clients' quotas under the same name. Follow the draft: nothing secret, and
   * nothing that the request did not contain.
   * @default none
   */
  partitionKey?: string | undefined;
  /**
   * Whether to add `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, which no
   * standard defines. Servers disagree about the last: `"seconds"` is the time until the limit is
   * full in whole seconds, `"timestamp"` the time at which it is full in seconds since the epoch.
   * @default none
   */
  legacy?: "seconds" | "timestamp" | undefined;
};

/**
 * The headers that tell an HTTP client how much it may still request, for granted and denied
 * requests. For a denied request, `tooManyRequests` makes the whole response.
 *
 * ```ts
 * rateLimitHeaders(status, { name: "api", config: limits.api })
 * // RateLimit-Policy: "api";q=100;w=60
 * // RateLimit: "api";r=42;t=35
 * ```
 *
 * - `RateLimit-Policy`: the quota `q` is the capacity, rounded down; the window `w` is in whole
 *   seconds, rounded up, at least 1.
 * - `RateLimit`: `r` is `remaining`. `t`: whole seconds, rounded up, until the limit is full or
 *   until the denial ends, whichever is first. `Retry-After` should not name a time before the end
 *   of `t`.
 * - `Retry-After`: `retryAfter` in whole seconds, rounded up. Only if denied.
 *
 * For an answer of `limitAll`, give a list of options, one for each of its items: the headers then
 * name all of these policies, and `X-RateLimit-*` describe the limit with the fewest tokens left.
 * No number is above 999,999,999,999,999, the largest that the headers may hold. A browser shows
 * them to a page of another origin only if `Access-Control-Expose-Headers` names them.
 *
 * @throws An `Error` if the answer comes from a call without `details: true`, or if a number of the
 * answer or of the config is NaN.
 *
 * Sources: draft-ietf-httpapi-ratelimit-headers-11 (sections 3, 4, 6 and, for `X-RateLimit-*`,
 * appendix A); RFC 9651 for the syntax; RFC 9110, section 10.2.3, for `Retry-After`.
 */
export function rateLimitHeaders(
  result: LimitAllReturns<true>,
  options: readonly RateLimitHeaderOptions[],
): Record<string, string>;
export function rateLimitHeaders(
  result: RateLimitReturns<true>,
  options: RateLimitHeaderOptions,
): Record<string, string>;
export function rateLimitHeaders(
  result: AnyResult,
  options: OneOrMore<RateLimitHeaderOptions>,
): Record<string, string> {
  return headersOf(result, options);
}

type AnyResult = RateLimitReturns<true> & { each?: RateLimitDetails[] };
type OneOrMore<Options> = Options | readonly Options[];

function headersOf(
  result: AnyResult,
  options: OneOrMore<RateLimitHeaderOptions>,
): Record<string, string> {
  const { limit, remaining, resetAfter, each = [result] } = result;
  if (limit === undefined) {
    throw new Error(
      "rateLimitHeaders: the answer has no numbers. Pass details: true to the call that gives it.",
    );
  }
  const [all, states] = isList(options)
    ? [options, each]
    : [[options], [result]];
  if (all.length !== states.length) {
    throw new Error(
      `rateLimitHeaders: there are ${all.length} options for the ${states.length} limits of the list.`,
    );
  }
  const wait = result.ok ? Infinity : result.retryAfter;
  const fields = all.map((one, i) => draft11Fields(states[i]!, one, wait));
  const legacy = all.find((one) => one.legacy !== undefined)?.legacy;
  return {
    "RateLimit-Policy": fields.map(({ policy }) => policy).join(", "),
    RateLimit: fields.map(({ state }) => state).join(", "),
    ...(!result.ok && retryAfterHeader(result.retryAfter)),
    ...(legacy !== undefined && {
      "X-RateLimit-Limit": wholeNumber(limit),
      "X-RateLimit-Remaining": wholeNumber(remaining),
      "X-RateLimit-Reset": wholeSeconds(
        legacy === "timestamp" ? Date.now() + resetAfter : resetAfter,
      ),
    }),
  };
}

function isList<Options>(
  options: OneOrMore<Options>,
): options is readonly Options[] {
  return Array.isArray(options);
}

/** The denial of any call: with the numbers that `details: true` adds, or without. */
type AnyDenial =
  | (RateLimitReturns<true> & { ok: false })
  | { ok: false; retryAfter: number; limit?: undefined };

/** The denial of a list. */
type ListDenial = { ok: false; blockedBy: { index: number } } & (
  | (LimitAllReturns<true> & { ok: false })
  | { retryAfter: number; limit?: undefined }
);

/**
 * The response to a denied request: status 429, the headers of `rateLimitHeaders`, and a body of
 * type `application/problem+json`.
 *
 * ```ts
 * if (!status.ok) return tooManyRequests(status, { name: "api", config: limits.api });
 * ```
 *
 * Takes the denial of every call, such as `hold` and `schedule`, and the error that `throws: true`
 * throws. If they have no numbers, as `limit` gives them with `details: true`, the only header is
 * `Retry-After`:
 *
 * ```ts
 * if (!held.ok) return tooManyRequests(held, { name: "llmTokens" });
 * if (isRateLimitError(error)) return tooManyRequests(error);
 * ```
 *
 * For the denial of a list, give the options of each of its items, as for `rateLimitHeaders`.
 *
 * The body's `type` and `title` are those of the problem type "quota-exceeded"; `violated-policies`
 * holds the name of the limit that denied, percent-encoded as in the headers.
 *
 * Sources: RFC 6585, section 4 (429); RFC 9457 (the body); draft-ietf-httpapi-ratelimit-headers-11,
 * sections 5.1 and 10.2.1 (the problem type).
 */
export function tooManyRequests(error: ConvexError<RateLimitError>): Response;
export function tooManyRequests(
  denial: AnyDenial,
  options: RateLimitHeaderOptions,
): Response;
export function tooManyRequests(
  denial: ListDenial,
  options: readonly RateLimitHeaderOptions[],
): Response;
export function tooManyRequests(
  ...args:
    | [error: ConvexError<RateLimitError>]
    | [denial: AnyDenial, options: RateLimitHeaderOptions]
    | [denial: ListDenial, options: readonly RateLimitHeaderOptions[]]
): Response {
  if (args.length === 1) {
    const { name, retryAfter } = args[0].data;
    return quotaExceeded(name, retryAfterHeader(retryAfter));
  }
  const [denial, options] = args;
  const headers =
    denial.limit === undefined
      ? retryAfterHeader(denial.retryAfter)
      : headersOf(denial, options);
  if (!isList(options)) return quotaExceeded(options.name, headers);
  const index = "blockedBy" in denial ? denial.blockedBy.index : 0;
  return quotaExceeded(options[index]!.name, headers);
}

function quotaExceeded(
  name: string,
  headers: Record<string, string>,
): Response {
  const problem = {
    type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
    title: "Quota Exceeded",
    status: 429,
    "violated-policies": [printable(name)],
  };
  return problemResponse(problem, headers);
}

/** RFC 9457. */
export function problemResponse(
  problem: { title: string; status: number },
  headers?: Record<string, string>,
): Response {
  return new Response(JSON.stringify(problem), {
    status: problem.status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
}

function retryAfterHeader(retryAfter: number): { "Retry-After": string } {
  return { "Retry-After": wholeSeconds(retryAfter) };
}
