import { RateLimiter } from "../client/RateLimiter.js";
import type { LimitConfig } from "../core/config.js";
import type { InvalidCursorError, NoHoldError } from "../core/errors.js";
import { admit, faultOfSecret, type Ctx, type Guard } from "./access.js";
import { act, type ActionResult } from "./actions.js";
import {
  BadRequest,
  noLimit,
  readAsked,
  type Ask,
  type Asked,
} from "./asked.js";
import { READS, type Limits, type Source } from "./reads.js";

/** The limiter whose limits the page shows: any `RateLimiter`. */
export type DashboardLimiter = Pick<RateLimiter, "component"> & {
  readonly limits: Record<string, LimitConfig> | undefined;
};

type Reads = typeof READS;

/** The names of keys, and the keys. A list, since a key may be `__proto__`. */
export type KeyNames = [key: string, name: string][];

/** What the app gives the page to show. */
export type Texts = {
  /** The name of the field in which an operator types the secret or token. */
  label?: string | undefined;
  nameOf?: ((key: string) => Promise<string | undefined>) | undefined;
};

/**
 * An answer to the page, with the server's time. Convex may answer an action's query from its
 * cache, so it may list overrides that have ended since. The page therefore projects balances and
 * end times itself, and shows nothing that a query has projected.
 */
export type Answer<Which extends Ask = Ask> = {
  /** In ms since the epoch. */
  now: number;
  /** The name that `authorize` returned. */
  operator?: string | undefined;
  /** What `keyName` says of the keys of this answer. */
  names?: KeyNames | undefined;
} & (Which extends keyof Reads
  ? Awaited<ReturnType<Reads[Which]>>
  : ActionResult);

const NO_PAGE = "There is no such page in this list.";
const NO_LEASE = "There is no such lease.";

/** Serves the page and answers its requests. */
export async function answer(
  ctx: Ctx,
  request: Request,
  limiter: DashboardLimiter,
  guard: Guard,
  { label, nameOf }: Texts = {},
): Promise<Response> {
  if (request.method !== "POST") return servePage(guard, label);
  try {
    const access = await admit(ctx, request, limiter.component, guard);
    if ("refusal" in access) return refuse(access.refusal);
    const asked = readAsked(await request.text());
    const { component, limits = {} } = limiter;
    // The keys of limits that the app does not name can be listed.
    if (asked.ask !== "keys" && "limit" in asked) {
      if (!Object.hasOwn(limits, asked.limit)) throw noLimit(asked.limit);
    }
    if ("cursor" in asked && asked.cursor === "") throw new BadRequest(NO_PAGE);
    // Without the app's options, so that operators do not trigger `onDenied` or `onWarning`.
    const asking = new RateLimiter(component, withoutRequireKey(limits));
    const now = Date.now();
    const source = { ctx, limiter: asking, limits, now };
    const { operator } = access;
    const answered = isRead(asked)
      ? read(source, asked)
      : act(source, asked, operator);
    const told = await answered;
    const names =
      nameOf && isRead(asked)
        ? await namesIn({ asked, told }, nameOf)
        : undefined;
    return json(200, { now, operator, names, ...told });
  } catch (error) {
    const mistake = mistakeOf(error);
    if (mistake !== undefined) return json(400, { error: mistake });
    console.error("The dashboard of the rate limits failed.", error);
    return json(500, { error: "The server failed; its log says how." });
  }
}

/** The names of the keys that a request or its answer contains, wherever they are. */
async function namesIn(
  shown: object,
  nameOf: (key: string) => Promise<string | undefined>,
): Promise<KeyNames> {
  const keys = new Set<string>();
  JSON.stringify(shown, (field, value: unknown) => {
    if (field === "key" && typeof value === "string") keys.add(value);
    return value;
  });
  const named = await Promise.all(
    [...keys].map(async (key) => ({
      key,
      name: await nameOf(key).catch((error: unknown) => {
        console.error("The keyName of the dashboard failed.", error);
        return undefined;
      }),
    })),
  );
  return named.flatMap(({ key, name }): KeyNames =>
    name === undefined || name === "" ? [] : [[key, name]],
  );
}

/** Operators read and change the whole limit without a key, even if calls require one. */
function withoutRequireKey(limits: Limits): Limits {
  return Object.fromEntries(
    Object.entries(limits).map(([name, { requireKey: _, ...config }]) => [
      name,
      config,
    ]),
  );
}

/** What is wrong with the request; undefined for other errors. */
function mistakeOf(error: unknown): string | undefined {
  if (error instanceof BadRequest) return error.message;
  const { data } = error as {
    data?: Partial<InvalidCursorError & NoHoldError>;
  };
  if (data?.paginationError === "InvalidCursor") return NO_PAGE;
  return data?.kind === "NoHold" ? NO_LEASE : undefined;
}

function isRead(asked: Asked): asked is Asked<keyof Reads> {
  return Object.hasOwn(READS, asked.ask);
}

type Read<Which extends Ask> = (
  source: Source,
  asked: Asked<Which>,
) => Promise<object>;

function read<Which extends keyof Reads>(source: Source, asked: Asked<Which>) {
  const reads: { [Name in keyof Reads]: Read<Name> } = READS;
  return reads[asked.ask](source, asked);
}

/** Against caching, search engines, and embedding in other pages. */
const HEADERS = {
  "Cache-Control": "no-store",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex, nofollow",
};

const BASE_POLICY =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function respond(
  status: number,
  type: string,
  body: string,
  more?: Record<string, string>,
): Response {
  const headers = {
    ...HEADERS,
    "Content-Security-Policy": BASE_POLICY,
    "Content-Type": type,
    ...more,
  };
  return new Response(body, { status, headers });
}

function json(
  status: number,
  body: object,
  headers?: Record<string, string>,
): Response {
  return respond(status, "application/json", JSON.stringify(body), headers);
}

/**
 * Marks a refusal as the dashboard's own, since the platform and proxies also answer 403, 429 and
 * 503, and the page has to tell them apart.
 */
function refuse(status: number): Response {
  const headers = { "Refused-By": "the dashboard" };
  if (status !== 401) return json(status, {}, headers);
  return json(status, {}, { ...headers, "WWW-Authenticate": "Bearer" });
}

const HTML = "text/html; charset=utf-8";

async function servePage(
  guard: Guard,
  label: string | undefined,
): Promise<Response> {
  const fault = "secret" in guard ? faultOfSecret(guard.secret) : undefined;
  if (fault !== undefined) return respond(503, HTML, notSetUp(fault));
  const { page, scriptHash, styleHash } = await import("./_generated/page.js");
  const policy = [
    BASE_POLICY,
    `script-src '${scriptHash}'`,
    `style-src '${styleHash}'`,
    "connect-src 'self'",
    "img-src data:",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  const [asks, usual] =
    "secret" in guard ? ["secret", "Secret"] : ["authorize", "Token"];
  const told = `data-way="${asks}" data-label="${escaped(label || usual)}"`;
  return respond(
    200,
    HTML,
    page.replace('data-way=""', () => told),
    {
      "Content-Security-Policy": policy,
    },
  );
}

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Tells the developer what is missing. */
function notSetUp(fault: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Rate limits: not set up</title>
</head>
<body>
<main>
<h1>This page is not set up yet</h1>
<p>The secret that convex/http.ts gives to registerDashboard cannot be used: ${fault}.</p>
<p>If it is the environment variable RATE_LIMITS_SECRET, set that in a terminal, in the app's folder, to at least 16 characters of printable ASCII, such as a long random string:</p>
<pre>npx convex env set RATE_LIMITS_SECRET "$(openssl rand -base64 24)"</pre>
<p>Then reload this page, and sign in with what <code>npx convex env get RATE_LIMITS_SECRET</code> prints. The rest of the app is not touched by this.</p>
</main>
</body>
</html>
`;
}
