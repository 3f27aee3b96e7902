import type { LimitConfig, WrittenRefilling } from "../core/config.js";
import { isWriteConflictError } from "./errors.js";
import {
  problemResponse,
  rateLimitHeaders,
  tooManyRequests,
  type RateLimitHeaderOptions,
} from "./http.js";
import { ipKey } from "./ipKey.js";
import { checkOptions, findTarget, refillingConfigOf } from "./checks.js";
import type { RateLimiter } from "./RateLimiter.js";
import type {
  InferredFields,
  MaybePromise,
  OptionsWith,
  RefillingNameOf,
} from "./inference.js";
import type { ConfigFunction, HttpCtx, RateLimitReturns } from "./types.js";
import { LIMIT_HTTP_FIELDS } from "./options.js";

/** Whose limit an HTTP action takes from, how much, and what its headers say. */
export type LimitHttpOptions<
  Ctx extends HttpCtx = HttpCtx,
  Key extends string | null = string | null,
> = Omit<RateLimitHeaderOptions, "name" | "config"> & {
  /**
   * Returns who is limited. `null` selects the shared balance. It is an error to return undefined.
   * A `Response`, such as a 401, is the answer to the request: then nothing is taken, and the
   * handler does not run.
   * @default the caller's address, by `ipKey`; one key for all requests without an address
   */
  key?:
    ((ctx: Ctx, request: Request) => MaybePromise<Key | Response>) | undefined;
  /**
   * The tokens that one request takes. Finite, at least 0; fractions are legal.
   * @default 1
   */
  count?: number | undefined;
  /**
   * Whether pages of other origins may read the headers: adds the headers' names to
   * `Access-Control-Expose-Headers`. For such pages to read a denial at all, set `denialHeaders`.
   * @default false
   */
  expose?: boolean | undefined;
  /**
   * Headers of the 429 and the 503, for which the handler does not run. A page of another origin
   * can read those responses only with the `Access-Control-Allow-Origin` that your handler sends.
   * They win over the response's own headers. Checked when the module loads.
   * @default none
   */
  denialHeaders?: Headers | Readonly<Record<string, string>> | undefined;
  /** The config, or a function that finds it on the server. */
  config?:
    | WrittenRefilling
    | undefined
    | ConfigFunction<Ctx, Key, WrittenRefilling, [request: Request]>;
};

type Handler<Ctx> = (
  ctx: Ctx,
  request: Request,
  status: RateLimitReturns<true, false, true>,
) => Response | Promise<Response>;

/**
 * Makes an HTTP action that takes from a limit before its handler runs.
 *
 * ```ts
 * http.route({
 *   path: "/quotes",
 *   method: "GET",
 *   handler: httpAction(
 *     limitHttp(rateLimiter, "quotes", {}, async (ctx, request) => new Response("…")),
 *   ),
 * });
 * ```
 *
 * - Granted: the handler runs, and the headers of `rateLimitHeaders` are added to its response. A
 *   header that the handler has set itself stays as it is, but `RateLimit-Policy` and `RateLimit`
 *   name this limit besides those that it names. So a `limitHttp` may be the handler of another.
 * - Denied: 429 by `tooManyRequests`, with your `denialHeaders`. The handler does not run.
 * - Failed because of write conflicts: 503 with `Retry-After` and your `denialHeaders`. The handler
 *   does not run, and nothing was taken.
 *
 * If the handler throws, the tokens stay taken. On a self-hosted backend the address is the first
 * in `X-Forwarded-For`, which a client can choose unless your own proxy sets it.
 *
 * Reads and writes what `limit` with `details` does.
 *
 * @throws When the module loads, an `Error` if the limit is not defined or is a concurrency limit.
 * In the action, as `limit` does.
 */
export function limitHttp<
  Limits extends Record<string, LimitConfig>,
  Name extends string,
  Ctx extends HttpCtx,
  Key extends string | null = string,
  Given extends string = never,
>(
  rateLimiter: RateLimiter<Limits>,
  name: RefillingNameOf<Limits, Name, OptionsWith<Given | "key">>,
  options: LimitHttpOptions<Ctx, Key> & InferredFields<Given>,
  handler: Handler<Ctx>,
): (ctx: Ctx, request: Request) => Promise<Response>;
export function limitHttp(
  rateLimiter: RateLimiter<Record<string, LimitConfig>>,
  name: string,
  options: LimitHttpOptions,
  handler: Handler<HttpCtx>,
): (ctx: HttpCtx, request: Request) => Promise<Response> {
  checkOptions("limitHttp", LIMIT_HTTP_FIELDS, options, name);
  const { key = addressKey, count, config, ...more } = options;
  const { expose = false, denialHeaders, ...headerOptions } = more;
  const { limits } = rateLimiter;
  const fields = checkedHeaders(name, denialHeaders);
  if (typeof config !== "function") refillingConfigOf(limits, name, config);
  return async (ctx, request) => {
    const found = await key(ctx, request);
    if (found instanceof Response) return found;
    const target = await findTarget(limits, name, found, config, ctx, request);
    const resolved = refillingConfigOf(limits, name, target.config);
    const shown = { ...headerOptions, name, config: resolved };
    const taken = { ...target, count, details: true } as const;
    let status: RateLimitReturns<true>;
    try {
      status = await rateLimiter.limit(ctx, name, taken);
    } catch (error) {
      if (!isWriteConflictError(error)) throw error;
      const problem = { title: "Service Unavailable", status: 503 };
      const response = withFields(problemResponse(problem), fields);
      return withHeaders(response, { "Retry-After": "1" }, expose);
    }
    const response = status.ok
      ? await handler(ctx, request, status)
      : withFields(tooManyRequests(status, shown), fields);
    return withHeaders(response, rateLimitHeaders(status, shown), expose);
  };
}

/**
 * The caller's address. All requests without one share a key, so that none fails for lack of it.
 */
async function addressKey({ meta }: HttpCtx): Promise<string> {
  const { ip } = await meta.getRequestMetadata();
  try {
    return ipKey(ip ?? "");
  } catch {
    return "no address";
  }
}

/**
 * Checked before the first request, since a denial is too late for an error. Keeps a copy, so that
 * no later change goes unchecked.
 *
 * @throws An `Error` that names the limit, if a header's name or value is not one of HTTP.
 */
function checkedHeaders(
  name: string,
  headers: Headers | Readonly<Record<string, string>> = {},
): Headers {
  try {
    return new Headers(headers);
  } catch (error) {
    throw new Error(
      `Rate limit ${name}: denialHeaders are no headers. ${String(error)}`,
      { cause: error },
    );
  }
}

/** The response, with the app's own header fields set. */
function withFields(response: Response, fields: Headers): Response {
  fields.forEach((value, field) => response.headers.set(field, value));
  return response;
}

/**
 * A new response with more headers, since those of a redirect cannot be changed. Headers that the
 * response already has win; a list of policies gets one more.
 */
function withHeaders(
  response: Response,
  added: Record<string, string>,
  expose: boolean,
): Response {
  const headers = new Headers(response.headers);
  for (const [field, value] of Object.entries(added)) {
    const own = headers.get(field);
    if (own === null) headers.set(field, value);
    else if (namesOthers(own, value)) headers.set(field, `${value}, ${own}`);
  }
  if (expose) {
    const fields = Object.keys(added).join(", ");
    headers.append("Access-Control-Expose-Headers", fields);
  }
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}

/** Whether both fields are lists of policies, and the first does not name that of the second. */
function namesOthers(own: string, value: string): boolean {
  const [name] = value.split(";");
  const isList = own.startsWith('"') && value.startsWith('"');
  return isList && !own.split(/[;,] ?/).includes(name!);
}
