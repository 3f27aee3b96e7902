import type { GenericActionCtx, GenericDataModel } from "convex/server";
import { RateLimiter } from "../client/RateLimiter.js";
import { MINUTE } from "../core/periods.js";

/** The part of the ctx of an HTTP action that the answers need. */
export type Ctx = Pick<
  GenericActionCtx<GenericDataModel>,
  "runQuery" | "runMutation" | "meta"
>;

/** How an operator proves who they are. */
export type Way =
  { secret: string | undefined } | { authorize: (request: Request) => Verdict };

export type Verdict = boolean | string | Promise<boolean | string>;

/** Who is asking, or the status with which the request is refused. */
export type Access =
  { operator: string | undefined } | { refusal: 401 | 403 | 429 | 503 };

/** Why a secret cannot protect the page; undefined if it can. */
export function faultOf(secret: string | undefined): string | undefined {
  if (secret === undefined || secret === "") return "it is not set";
  if (secret.length < 16) return "it has fewer than 16 characters";
  if (!/^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(secret)) {
    return "it has characters other than printable ASCII, or a space at an end";
  }
  return undefined;
}

/**
 * Finds out who is asking. A failed attempt takes from the limits on attempts. A correct one
 * passes, however many have failed, so that nobody can lock an operator out.
 *
 * @throws If a failed attempt cannot be counted: the answer then does not reveal that it
 * failed.
 */
export async function admit(
  ctx: Ctx,
  request: Request,
  component: RateLimiter["component"],
  way: Way,
): Promise<Access> {
  if ("secret" in way && faultOf(way.secret) !== undefined) {
    return { refusal: 503 };
  }
  if (isForeign(request)) return { refusal: 403 };
  const token = bearerOf(request);
  const verdict =
    "secret" in way
      ? token !== undefined && isSameText(token, way.secret!)
      : await verdictOf(() => way.authorize(withoutBody(request)));
  if (verdict === true) return { operator: undefined };
  if (typeof verdict === "string") return { operator: verdict };
  if (token === undefined) return { refusal: 401 };
  if (await countFailure(ctx, component)) return { refusal: 429 };
  return { refusal: "secret" in way ? 401 : 403 };
}

/**
 * Whether a page of another site may have sent this request. Such a page cannot send JSON
 * without a CORS preflight, which nothing here grants. So an `authorize` that checks cookies or
 * addresses cannot be abused from there either.
 */
function isForeign({ headers }: Request): boolean {
  const type = headers.get("Content-Type") ?? "";
  const site = headers.get("Sec-Fetch-Site") ?? "same-origin";
  return !/^application\/json\b/i.test(type) || site !== "same-origin";
}

/** Anybody can send this header, so the time to read it must not grow faster than its length. */
function bearerOf({ headers }: Request): string | undefined {
  const given = headers.get("Authorization") ?? "";
  if (!/^Bearer /i.test(given)) return undefined;
  return given.slice("Bearer ".length).trim() || undefined;
}

function withoutBody({ url, method, headers }: Request): Request {
  return new Request(url, { method, headers });
}

async function verdictOf(
  authorize: () => Verdict,
): Promise<true | string | undefined> {
  try {
    const verdict: unknown = await authorize();
    if (verdict === true) return true;
    return typeof verdict === "string" && verdict !== "" ? verdict : undefined;
  } catch {
    return undefined;
  }
}

function isSameText(given: string, secret: string): boolean {
  const encoder = new TextEncoder();
  return isSame(encoder.encode(given), encoder.encode(secret));
}

/** Takes the same time for every secret; only the length of `given` affects it. */
export function isSame(
  given: ArrayLike<number>,
  secret: ArrayLike<number>,
): boolean {
  let difference = given.length ^ secret.length;
  for (let i = 0; i < given.length; i++) {
    difference |= given[i]! ^ secret[i % secret.length]!;
  }
  return difference === 0;
}

/**
 * Two limits, since addresses can be forged on a self-hosted backend, and a caller with one
 * IPv6 address has many.
 */
const FAILURES = {
  "dashboard: failed attempts of an address": {
    kind: "token bucket",
    rate: 5,
    period: MINUTE,
    capacity: 10,
  },
  "dashboard: failed attempts": {
    kind: "token bucket",
    rate: 60,
    period: MINUTE,
  },
} as const;

/** The names of the dashboard's own limits, which it does not show. */
export const OWN_LIMITS: readonly string[] = Object.keys(FAILURES);

/** Counts a failed attempt, and returns whether there were too many. */
async function countFailure(
  ctx: Ctx,
  component: RateLimiter["component"],
): Promise<boolean> {
  const failures = new RateLimiter(component, FAILURES);
  const { ip } = await ctx.meta.getRequestMetadata();
  const { ok } = await failures.limitAll(ctx, [
    {
      name: "dashboard: failed attempts of an address",
      key: ip?.slice(0, 100) ?? "unknown address",
    },
    { name: "dashboard: failed attempts" },
  ]);
  return !ok;
}
