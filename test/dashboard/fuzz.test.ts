import fc from "fast-check";
import { MINUTE } from "convex-rate-limiter";
import { expect, onTestFinished, test, vi } from "vitest";
import { OWN_LIMITS } from "../../src/dashboard/access.js";
import {
  inComponent,
  type Host,
  MIDNIGHT,
  useStillClock,
} from "../support/host.js";
import { mangled } from "../support/mangled.js";
import { minutes, times } from "../support/seed.js";
import { rateLimiter, SECRET, startDashboard, take } from "./dashboard.js";

useStillClock();

const firstSeed = Number(process.env.FC_SEED ?? 1);

type Sent = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
};

const until = MIDNIGHT + MINUTE;
const ada = { limit: "message", key: "ada" };
const ASKS = [
  { ask: "limits" },
  { ask: "find", key: "ada" },
  { ask: "keys", limit: "message", order: "key", prefix: "a", cursor: null },
  { ask: "keys", limit: "render", order: "depleted", cursor: null },
  { ask: "overrides", limit: "message", cursor: null },
  { ask: "key", ...ada },
  { ask: "denials", limit: "message", span: "day" },
  { ask: "reset", ...ada },
  { ask: "ban", ...ada, until, note: "a", once: "1" },
  { ask: "penalize", ...ada, once: "2" },
  { ask: "lift", limit: "invite", key: "bob", until, once: "3" },
  { ask: "change", ...ada, capacity: 5, credit: true, until, once: "4" },
  { ask: "release", limit: "render", id: "render:1" },
  { ask: "clear", ...ada },
  { ask: "forget", key: "ada", bans: true },
];
const WORDS = [
  "",
  "ada",
  "bob",
  "message",
  "render",
  "invite",
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
      { weight: 6, arbitrary: fc.constant(`Bearer ${SECRET}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          "",
          "Bearer",
          "Bearer ",
          `Basic ${SECRET}`,
          `Bearer ${SECRET}x`,
          `Bearer ${SECRET.slice(1)}`,
          `Bearer Bearer ${SECRET}`,
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
    { weight: 1, arbitrary: fc.constantFrom("GET", "HEAD", "PUT", "OPTIONS") },
  ),
  path: fc.oneof(
    { weight: 8, arbitrary: fc.constant("/rate-limits/") },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "/rate-limits",
        `/rate-limits/?ask=reset&secret=${SECRET}`,
        "/rate-limits/keys",
        "//rate-limits/",
        "/%72ate-limits/",
        "/rate-limits/..",
      ),
    },
  ),
  headers,
  body: fc.oneof(
    { weight: 8, arbitrary: mangled(ASKS, WORDS) },
    { weight: 1, arbitrary: fc.string({ maxLength: 50 }) },
    { weight: 1, arbitrary: fc.nat(2e4).map((depth) => "[".repeat(depth)) },
  ),
});

/** An app in use: keys that are limited, leases, a ban. */
async function startUsed(): Promise<Host> {
  const t = startDashboard();
  for (const key of ["ada", "bob"]) {
    await take(t, key, 4);
    await t.mutation(async (ctx) => {
      await rateLimiter.hold(ctx, "render", { key });
      await rateLimiter.setOverride(ctx, "invite", { key, deny: true });
    });
  }
  return t;
}

type Stored = { name?: string; key?: string };

/** The balances, overrides and leases of the limits that the page shows, by limit and key. */
async function states(t: Host): Promise<Map<string, string>> {
  const all = await inComponent(t, async ({ db }) => {
    const tables = ["rateLimits", "overrides", "holds", "forgets"] as const;
    return (
      await Promise.all(tables.map((table) => db.query(table).collect()))
    ).flat();
  });
  const states = new Map<string, string>();
  for (const row of all as Stored[]) {
    if (OWN_LIMITS.includes(row.name ?? "")) continue;
    const id = JSON.stringify([row.name, row.key]);
    states.set(id, (states.get(id) ?? "") + JSON.stringify(row));
  }
  return states;
}

/** Whether an action may have changed this limit and key. */
function mayChange(body: string, id: string): boolean {
  const {
    ask,
    limit,
    key,
    id: hold,
  } = JSON.parse(body) as Record<string, unknown>;
  const [name, ofKey] = JSON.parse(id) as [string, string | null];
  if (ask === "forget") return key === ofKey;
  if (ask === "release") return limit === name && typeof hold === "string";
  return (
    ["reset", "ban", "penalize", "lift", "change", "clear"].includes(
      ask as string,
    ) &&
    limit === name &&
    (key ?? null) === ofKey
  );
}

const isLetIn = ({ method, headers }: Sent) =>
  method === "POST" &&
  headers["authorization"] === `Bearer ${SECRET}` &&
  /^application\/json(;|$)/.test(headers["content-type"] ?? "") &&
  (headers["sec-fetch-site"] ?? "same-origin") === "same-origin";

test(
  "whatever is asked of the dashboard's routes, nothing fails, leaks, or changes unless an operator asks",
  { timeout: 60_000 * (1 + times + minutes) },
  async () => {
    const logged = vi.spyOn(console, "error").mockReturnValue();
    onTestFinished(() => logged.mockRestore());
    const statuses = new Map<number, number>();
    const property = fc.asyncProperty(
      fc.array(aRequest, { minLength: 1, maxLength: 8 }),
      async (requests) => {
        const t = await startUsed();
        let before = await states(t);
        for (const sent of requests) {
          const { method, path, headers, body } = sent;
          const hasBody = method !== "GET" && method !== "HEAD";
          const response = await t.fetch(path, {
            method,
            headers,
            ...(hasBody && { body }),
          });
          const { status } = response;
          const text = await response.text();
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          expect([200, 400, 401, 403, 404, 429]).toContain(status);
          expect(logged.mock.calls).toEqual([]);
          expect(text).not.toContain(SECRET);
          if (method === "POST" && status !== 404) {
            const refused = [401, 403, 429].includes(status);
            expect([refused, text === "{}"]).toEqual([
              !isLetIn(sent),
              !isLetIn(sent),
            ]);
          }
          const after = await states(t);
          const ids = new Set([...before.keys(), ...after.keys()]);
          const changed = [...ids].filter(
            (id) => before.get(id) !== after.get(id),
          );
          const may =
            status === 200 && isLetIn(sent)
              ? changed.filter((id) => mayChange(body, id))
              : [];
          expect(changed).toEqual(may);
          before = after;
        }
      },
    );
    const end = performance.now() + minutes * 60_000;
    for (let seed = firstSeed; ; seed++) {
      await fc.assert(property, { seed, numRuns: Math.ceil(60 * times) });
      if (performance.now() >= end) break;
    }
    expect([...statuses.keys()]).toEqual(
      expect.arrayContaining([200, 400, 401, 403, 404]),
    );
    if (minutes > 0) process.stdout.write(`${JSON.stringify([...statuses])}\n`);
  },
);
