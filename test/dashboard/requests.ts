import { MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { expect } from "vitest";
import { OWN_LIMITS } from "../../src/dashboard/access.js";
import { mangled } from "../support/mangled.js";
import { minutes, runs, times } from "../support/seed.js";

type Sent = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
};

/** What the routes may answer, and which of these to who is not let in. */
const STATUSES = [200, 400, 401, 403, 404, 429];
const REFUSALS = [401, 403, 429];

/** FC_SEED sets the first seed. */
const firstSeed = Number(process.env.FC_SEED ?? 1);

/** As long as requests that are drawn may take. */
export const FUZZ_TIMEOUT_MS = 60_000 * (1 + times + minutes);

/** Draws requests to the routes of a dashboard whose app has these limits, with overrides, and judges the answers. */
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
  const odd = "__proto__ constructor \ud800 \0 key limits forget reset";
  const words = [
    ...`ada bob signUp 1 ${bucket} ${concurrency} ${window} ${odd}`.split(" "),
    "",
    "k".repeat(1025),
    ...OWN_LIMITS,
  ];

  const mostly = (weight: number, usual: string, others: string[]) =>
    fc.oneof(
      { weight, arbitrary: fc.constant(usual) },
      { weight: 1, arbitrary: fc.constantFrom(...others) },
    );
  /** All headers of a request that the page sends, each of which may be another. */
  const headers = fc.record(
    {
      authorization: mostly(6, `Bearer ${secret}`, [
        "",
        "Bearer",
        "Bearer ",
        `Basic ${secret}`,
        `Bearer ${secret}x`,
        `Bearer ${secret.slice(1)}`,
        `Bearer Bearer ${secret}`,
        "\xff",
      ]),
      "content-type": mostly(8, "application/json", [
        "",
        "text/plain",
        "application/jsonp",
        "application/json; charset=x",
      ]),
      "sec-fetch-site": mostly(8, "same-origin", ["cross-site", "none", ""]),
    },
    { requiredKeys: [] },
  );

  const aRequest: fc.Arbitrary<Sent> = fc.record({
    method: mostly(8, "POST", ["GET", "HEAD", "PUT", "OPTIONS"]),
    path: mostly(8, "/rate-limits/", [
      "/rate-limits",
      `/rate-limits/?ask=reset&secret=${secret}`,
      "/rate-limits/keys",
      "//rate-limits/",
      "/%72ate-limits/",
      "/rate-limits/..",
    ]),
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

  const statuses = new Map<number, number>();
  /** Sends a request and judges the answer. Returns its status. */
  const answered = async (
    send: (path: string, init: RequestInit) => Promise<Response>,
    sent: Sent,
  ): Promise<number> => {
    const { method, path, headers, body } = sent;
    const hasBody = method !== "GET" && method !== "HEAD";
    const init = { method, headers, ...(hasBody && { body }) };
    const response = await send(path, init);
    const { status } = response;
    const text = await response.text();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    expect(STATUSES).toContain(status);
    expect(text).not.toContain(secret);
    if (method === "POST" && status !== 404) {
      const isRefused = !isLetIn(sent);
      const found = [REFUSALS.includes(status), text === "{}"];
      expect(found).toEqual([isRefused, isRefused]);
    }
    return status;
  };
  /** Runs a property that sends requests, with FC_MINUTES for so long. */
  const run = async <T>(property: fc.IAsyncProperty<T>, usually: number) => {
    const end = performance.now() + minutes * 60_000;
    for (let seed = firstSeed; ; seed++) {
      await fc.assert(property, { seed, ...runs(usually) });
      if (performance.now() >= end) break;
    }
    const met = [...statuses.keys()];
    expect(met).toEqual(expect.arrayContaining([200, 400, 401, 403, 404]));
    if (minutes > 0) process.stdout.write(`${JSON.stringify([...statuses])}\n`);
  };
  return { aRequest, isLetIn, answered, run };
}
