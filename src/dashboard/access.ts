import type { GenericActionCtx, GenericDataModel } from "convex/server";
import { RateLimiter } from "../client/RateLimiter.js";
import { MINUTE } from "../core/periods.js";

/** The part of the ctx of an HTTP action that the answers need. */
export type Ctx = Pick<
  GenericActionCtx<GenericDataModel>,
  "runQuery" | "runMutation" | "meta"
>;

/** What protects the dashboard. */
export type Guard =
  | { secret: string | undefined }
  | { authorize: (request: Request) => AuthorizeReturns };

export type AuthorizeReturns = boolean | string | Promise<boolean | string>;

/** The operator who is let in, or the status with which the request is refused. */
type Access =
  { operator: string | undefined } | { refusal: 401 | 403 | 429 | 503 };

/** Why a secret cannot protect the page; undefined if it can. */
export function faultOfSecret(secret: string | undefined): string | undefined {
  if (secret === undefined || secret === "") return "it is not set";
  if (secret.length < 16) return "it has fewer than 16 characters";
  if (!/^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(secret)) {
    return "it has characters other than printable ASCII, or a space at an end";
  }
  return undefined;
}

/**
 * Decides whether to let a request in. A failed attempt takes from the limits on failed attempts. A
 * correct one always passes, so that nobody can lock an operator out.
 *
 * @throws If a failed attempt cannot be counted, so that the answer does not reveal that it failed.
 */
export async function admit(
  ctx: Ctx,
  request: Request,
  component: RateLimiter["component"],
  guard: Guard,
): Promise<Access> {
  if ("secret" in guard && faultOfSecret(guard.secret) !== undefined) {
    return { refusal: 503 };
  }
  if (isForeign(request)) return { refusal: 403 };
  const token = bearerToken(request);
  const verdict =
    "secret" in guard
      ? token !== undefined && isSameText(token, guard.secret!)
      : await authorized(() => guard.authorize(withoutBody(request)));
  if (verdict === true) return { operator: undefined };
  if (typeof verdict === "string") return { operator: verdict };
  if (token === undefined) return { refusal: 401 };
  if (await countFailedAttempt(ctx, component)) return { refusal: 429 };
  return { refusal: "secret" in guard ? 401 : 403 };
}

/**
 * Whether a page of another site may have sent this request. Such a page cannot send JSON without a
 * CORS preflight, which nothing here grants. So it cannot abuse an `authorize` that checks cookies
 * or addresses.
 */
function isForeign({ headers }: Request): boolean {
  const type = headers.get("Content-Type") ?? "";
  const site = headers.get("Sec-Fetch-Site") ?? "same-origin";
  return !/^application\/json\b/i.test(type) || site !== "same-origin";
}

/** Takes time linear in the header's length, since anybody can send one. */
function bearerToken({ headers }: Request): string | undefined {
  const given = headers.get("Authorization") ?? "";
  if (!/^Bearer /i.test(given)) return undefined;
  return given.slice("Bearer ".length).trim() || undefined;
}

function withoutBody({ url, method, headers }: Request): Request {
  return new Request(url, { method, headers });
}

async function authorized(
  authorize: () => AuthorizeReturns,
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

/** Compares in a time that depends only on the length of `given`. */
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
 * One limit for each address and one for all, since addresses can be forged on a self-hosted
 * backend, and an IPv6 caller has many.
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
async function countFailedAttempt(
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
