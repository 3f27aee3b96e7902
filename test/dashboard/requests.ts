import { MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { OWN_LIMITS } from "../../src/dashboard/access.js";
import { mangled } from "../support/mangled.js";

export type Sent = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
};

/** What the routes may answer. */
export const STATUSES = [200, 400, 401, 403, 404, 429];
/** Those of them for who is not let in. */
export const REFUSALS = [401, 403, 429];

/** Requests to the routes of a dashboard whose app has these limits, with overrides. */
export function requestsOf({
  secret,
  bucket,
  window,
  concurrency,
  now,
}: {
  secret: string;
  bucket: string;
  window: string;
  concurrency: string;
  now: number;
}) {
  const until = now + MINUTE;
  const ada = { limit: bucket, key: "ada" };
  const asks = [
    { ask: "limits" },
    { ask: "find", key: "ada" },
    { ask: "keys", limit: bucket, order: "key", prefix: "a", cursor: null },
    { ask: "keys", limit: concurrency, order: "depleted", cursor: null },
    { ask: "overrides", limit: bucket, cursor: null },
    { ask: "key", ...ada },
    { ask: "denials", limit: bucket, span: "day" },
    { ask: "reset", ...ada },
    { ask: "resetAll", limit: bucket },
    { ask: "ban", ...ada, until, note: "a", once: "1" },
    { ask: "penalize", ...ada, once: "2" },
    { ask: "lift", limit: window, key: "bob", until, once: "3" },
    { ask: "change", ...ada, capacity: 5, credit: true, until, once: "4" },
    { ask: "release", limit: concurrency, id: `${concurrency}:1` },
    { ask: "clear", ...ada },
    { ask: "forget", key: "ada", bans: true },
  ];
  const words = [
    "",
    "ada",
    "bob",
    bucket,
    concurrency,
    window,
    "signUp",
    "1",
    ...OWN_LIMITS,
    "__proto__",
    "constructor",
    "\ud800",
    "\0",
    "k".repeat(1025),
    "key",
    "limits",
    "forget",
    "reset",
  ];

  /** All headers of a request that the page sends, each of which may be another. */
  const headers = fc.record(
    {
      authorization: fc.oneof(
        { weight: 6, arbitrary: fc.constant(`Bearer ${secret}`) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "",
            "Bearer",
            "Bearer ",
            `Basic ${secret}`,
            `Bearer ${secret}x`,
            `Bearer ${secret.slice(1)}`,
            `Bearer Bearer ${secret}`,
            "\xff",
          ),
        },
      ),
      "content-type": fc.oneof(
        { weight: 8, arbitrary: fc.constant("application/json") },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "",
            "text/plain",
            "application/jsonp",
            "application/json; charset=x",
          ),
        },
      ),
      "sec-fetch-site": fc.oneof(
        { weight: 8, arbitrary: fc.constant("same-origin") },
        { weight: 1, arbitrary: fc.constantFrom("cross-site", "none", "") },
      ),
    },
    { requiredKeys: [] },
  );

  const aRequest: fc.Arbitrary<Sent> = fc.record({
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant("POST") },
      {
        weight: 1,
        arbitrary: fc.constantFrom("GET", "HEAD", "PUT", "OPTIONS"),
      },
    ),
    path: fc.oneof(
      { weight: 8, arbitrary: fc.constant("/rate-limits/") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "/rate-limits",
          `/rate-limits/?ask=reset&secret=${secret}`,
          "/rate-limits/keys",
          "//rate-limits/",
          "/%72ate-limits/",
          "/rate-limits/..",
        ),
      },
    ),
    headers,
    body: fc.oneof(
      { weight: 8, arbitrary: mangled(asks, words) },
      { weight: 1, arbitrary: fc.string({ maxLength: 50 }) },
      { weight: 1, arbitrary: fc.nat(2e4).map((depth) => "[".repeat(depth)) },
    ),
  });

  const isLetIn = ({ method, headers }: Sent) =>
    method === "POST" &&
    headers["authorization"] === `Bearer ${secret}` &&
    /^application\/json(;|$)/.test(headers["content-type"] ?? "") &&
    (headers["sec-fetch-site"] ?? "same-origin") === "same-origin";
  return { aRequest, isLetIn };
}
