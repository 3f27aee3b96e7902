import type { GenericActionCtx, GenericDataModel } from "convex/server";
import { RateLimiter } from "../client/RateLimiter.js";
import { MINUTE } from "../core/periods.js";

/** What the answers need of the ctx of an HTTP action. */
export type Ctx = Pick<
  GenericActionCtx<GenericDataModel>,
  "runQuery" | "runMutation" | "meta"
>;

/** By what an operator is known. */
export type Way =
  { secret: string | undefined } | { authorize: (request: Request) => Verdict };

export type Verdict = boolean | string | Promise<boolean | string>;

/** Who asks, or with which status that is refused. */
export type Access =
  { operator: string | undefined } | { refusal: 401 | 403 | 429 | 503 };

/** Why a secret cannot protect anything; undefined if it can. */
export function faultOf(secret: string | undefined): string | undefined {
  if (secret === undefined || secret === "") return "it is not set";
  if (secret.length < 16) return "it has fewer than 16 characters";
  if (!/^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(secret)) {
    return "it has characters other than printable ASCII, or a space at an end";
  }
  return undefined;
}

/**
 * Who asks. An attempt that fails takes from the limits of attempts; one that is right passes,
 * however many have failed, so that nobody can be locked out by others.
 *
 * @throws If an attempt that fails cannot be counted: then it is not told that it failed.
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
 * Whether a page of another site may have sent this. Such a page can send no JSON without
 * asking first (CORS), which nothing here grants; so also an `authorize` that looks at cookies or
 * addresses cannot be abused from there.
 */
function isForeign({ headers }: Request): boolean {
  const type = headers.get("Content-Type") ?? "";
  const site = headers.get("Sec-Fetch-Site") ?? "same-origin";
  return !/^application\/json\b/i.test(type) || site !== "same-origin";
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer +(.*\S)/i.exec(headers.get("Authorization") ?? "")?.[1];
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

/** Takes as long for every secret: how long `given` is, the one who gives it knows. */
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
 * Addresses can be forged on a self-hosted backend, and whoever has one of IPv6 has many: hence
 * the second limit.
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

/** Counts an attempt that has failed, and says whether there were too many. */
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
