import {
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  type LimitConfig,
} from "convex-rate-limiter";
import {
  registerDashboard,
  type DashboardOptions,
} from "convex-rate-limiter/dashboard";
import { httpActionGeneric, httpRouter } from "convex/server";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  type Host,
} from "../support/host.js";

export const SECRET = "a secret for the tests alone";

export const limits = {
  message: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    capacity: 3,
    overrides: true,
    stats: true,
  },
  render: { kind: "concurrency", capacity: 2, lease: MINUTE, overrides: true },
  signUp: { kind: "fixed window", rate: 5, period: HOUR, start: 0 },
  exports: { kind: "fixed window", rate: 3, period: DAY, start: 0 },
  invite: {
    kind: "fixed window",
    rate: 5,
    period: HOUR,
    start: 0,
    overrides: true,
    requireKey: true,
  },
} as const satisfies Record<string, LimitConfig>;

export const rateLimiter = new RateLimiter(components.rateLimiter, limits);

/** An app with a dashboard and one route of its own. */
export function startDashboard(
  options: DashboardOptions = { secret: SECRET },
): Host {
  const http = httpRouter();
  registerDashboard(http, rateLimiter, options);
  http.route({
    path: "/webhook",
    method: "GET",
    handler: httpActionGeneric(async () => new Response("heard")),
  });
  return startHost({
    modules: { "./http.ts": async () => ({ default: http }) },
  });
}

type Fetching = Pick<Host, "fetch">;

/** Actions that have an id of the page, `once`. */
const IDENTIFIED = ["ban", "penalize", "lift", "change"];
let actions = 0;

function withId(body: unknown): unknown {
  const { ask } = Object(body) as { ask?: string };
  if (ask === undefined || !IDENTIFIED.includes(ask)) return body;
  return { once: `action ${++actions}`, ...(body as object) };
}

/** Sends what the page would send, an action with a new id; `token` null for none. */
export function post(
  t: Fetching,
  body: unknown,
  {
    token = SECRET,
    path = "/rate-limits/",
    headers = {},
  }: {
    token?: string | null;
    path?: string;
    headers?: Record<string, string>;
  } = {},
): Promise<Response> {
  return t.fetch(path, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(withId(body)),
  });
}

/** Asks as an operator who is signed in. */
export async function ask<T = Record<string, unknown>>(
  t: Fetching,
  asked: object,
): Promise<T> {
  const response = await post(t, asked);
  if (response.status !== 200) {
    throw new Error(`${response.status}: ${await response.text()}`);
  }
  return (await response.json()) as T;
}

/** Takes tokens of `message`, one by one. */
export const take = (t: Host, key: string, times = 1) =>
  t.mutation(async (ctx) => {
    const answers = [];
    for (let i = 0; i < times; i++) {
      answers.push((await rateLimiter.limit(ctx, "message", { key })).ok);
    }
    return answers;
  });

/** The rows and overrides that are stored. */
export const storedState = async (t: Host) => [
  await storedRows(t),
  await inComponent(t, (ctx) => ctx.db.query("overrides").collect()),
];

export const ada = { limit: "message", key: "ada" };
export const until = MIDNIGHT + HOUR;

export type Page = {
  keys: { key?: string; value?: { value: number } }[];
  next: string | null;
};

/** A page of the keys of a limit, by key unless `more` says otherwise. */
export const keysOf = (t: Host, limit: string, more: object = {}) =>
  ask<Page>(t, { ask: "keys", limit, order: "key", cursor: null, ...more });

type Told = {
  overrides: { note?: string }[];
  denied?: { from: number; denied: number }[];
};

/** What the dashboard shows of a key, or of a limit as a whole. */
export const keyOf = (t: Host, of: { limit: string; key?: string }) =>
  ask<Told>(t, { ask: "key", ...of });
