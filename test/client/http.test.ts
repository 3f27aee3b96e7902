import fc from "fast-check";
import { RateLimiter } from "convex-rate-limiter";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { components, startHost } from "../support/host.js";
import { optional } from "../support/arbitraries.js";
import { rateLimitedError } from "../../src/core/errors.js";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/periods.js";
import { rateLimitHeaders, tooManyRequests } from "../../src/client/http.js";
import { isRateLimitError } from "../../src/client/errors.js";
import type {
  LimitAllReturns,
  RateLimitReturns,
} from "../../src/client/types.js";

const granted: RateLimitReturns<true> = {
  ok: true,
  limit: 100,
  remaining: 42,
  resetAfter: 34_001,
};
const denied: RateLimitReturns<true> & { ok: false } = {
  ok: false,
  retryAfter: 600,
  limit: 100,
  remaining: 0,
  resetAfter: 60_000,
};

/** An Item of RFC 9651 with a String for a value, as section 4.2 parses it. */
function parseItem(text: string) {
  const match = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"(.*)$/.exec(
    text,
  );
  if (match === null) throw new Error(`Not an Item: ${text}`);
  const [, value = "", rest = ""] = match;
  if (!/^(;[a-z]+=(\d{1,15}|"[ -~]*"|:[A-Za-z0-9+/=]*:))*$/.test(rest)) {
    throw new Error(`Not parameters: ${rest}`);
  }
  const parameters = rest.split(";").slice(1);
  return {
    value: value.replace(/\\(.)/g, "$1"),
    ...Object.fromEntries(parameters.map((pair) => pair.split(/=(.*)/s, 2))),
  } as Record<string, string>;
}

describe("rateLimitHeaders", () => {
  afterEach(() => void vi.useRealTimers());

  type Options = Partial<Parameters<typeof rateLimitHeaders>[1]>;
  const policy = { "RateLimit-Policy": '"api";q=100' };
  const left = { ...policy, RateLimit: '"api";r=42;t=35' };
  const legacy = {
    ...left,
    "X-RateLimit-Limit": "100",
    "X-RateLimit-Remaining": "42",
  };

  test.each<[string, RateLimitReturns<true>, Options, Record<string, string>]>([
    [
      "a granted request gets the policy and the balance, without Retry-After",
      granted,
      { config: { rate: 100, period: MINUTE } },
      { ...left, "RateLimit-Policy": '"api";q=100;w=60' },
    ],
    [
      "a granted reservation gets no Retry-After",
      { ...granted, remaining: 0, retryAfter: 12_000 },
      {},
      { ...policy, RateLimit: '"api";r=0;t=35' },
    ],
    [
      "a denial of a dry run gets no Retry-After",
      { ...granted, wouldDeny: true },
      {},
      left,
    ],
    [
      "a denial's effective window ends with Retry-After",
      denied,
      {},
      { ...policy, RateLimit: '"api";r=0;t=1', "Retry-After": "1" },
    ],
    [
      "a denial's effective window ends no later than its reset",
      { ...denied, retryAfter: 2 * MINUTE },
      {},
      { ...policy, RateLimit: '"api";r=0;t=60', "Retry-After": "120" },
    ],
    [
      "a ban until a date is a denial until then",
      { ...denied, retryAfter: DAY, resetAfter: DAY },
      {},
      { ...policy, RateLimit: '"api";r=0;t=86400', "Retry-After": "86400" },
    ],
    [
      'X-RateLimit-Reset is in seconds from now with legacy: "seconds"',
      granted,
      { legacy: "seconds" },
      { ...legacy, "X-RateLimit-Reset": "35" },
    ],
    [
      'X-RateLimit-Reset is in seconds from the epoch with legacy: "timestamp"',
      granted,
      { legacy: "timestamp" },
      { ...legacy, "X-RateLimit-Reset": "1700000035" },
    ],
  ])("%s", (_, result, options, headers) => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    const given = rateLimitHeaders(result, { name: "api", ...options });
    expect(given).toEqual(headers);
  });

  test.each([
    { retryAfter: 1, header: "1" },
    { retryAfter: 999, header: "1" },
    { retryAfter: 1000, header: "1" },
    { retryAfter: 1001, header: "2" },
    { retryAfter: HOUR, header: "3600" },
    { retryAfter: Number.MAX_SAFE_INTEGER, header: "9007199254741" },
    { retryAfter: 1e300, header: "999999999999999" },
  ])("Retry-After is $header for $retryAfter ms", ({ retryAfter, header }) => {
    const result = { ...denied, retryAfter };
    expect(rateLimitHeaders(result, { name: "api" })).toMatchObject({
      "Retry-After": header,
    });
  });

  test.each([
    { config: { rate: 100, period: MINUTE }, w: "60" },
    { config: { rate: 0.7, period: HOUR }, w: "3600" },
    { config: { rate: 10, period: MINUTE, capacity: 20 }, w: "120" },
    { config: { rate: 10, period: MINUTE, capacity: 3 }, w: "18" },
    { config: { rate: 3, period: 2500 }, w: "3" },
    { config: { rate: 10, period: SECOND / 10 }, w: "1" },
    { config: { rate: 10, period: MINUTE, capacity: 0 }, w: "1" },
    { config: { rate: 1, period: 1e300 }, w: "999999999999999" },
  ])("the window of $config is $w s", ({ config, w }) => {
    const headers = rateLimitHeaders(granted, { name: "api", config });
    expect(parseItem(headers["RateLimit-Policy"]!)).toMatchObject({ w });
  });

  test.each([
    { limit: 2.5, remaining: 1.9, q: "2", r: "1" },
    { limit: 0, remaining: 0, q: "0", r: "0" },
    { limit: 10, remaining: -4, q: "10", r: "0" },
    {
      limit: 1e21,
      remaining: 1e21,
      q: "999999999999999",
      r: "999999999999999",
    },
  ])("quota $limit with $remaining left is q=$q and r=$r", (row) => {
    const { limit, remaining, q, r } = row;
    const result = { ...granted, limit, remaining };
    const headers = rateLimitHeaders(result, { name: "api" });
    expect(parseItem(headers["RateLimit-Policy"]!)).toMatchObject({ q });
    expect(parseItem(headers.RateLimit!)).toMatchObject({ r });
  });

  test.each([
    { name: "", header: '""' },
    { name: 'say "hi"', header: String.raw`"say \"hi\""` },
    { name: String.raw`a\b`, header: String.raw`"a\\b"` },
    { name: "größe", header: '"gr%C3%B6%C3%9Fe"' },
    { name: "a\r\nSet-Cookie: b", header: '"a%0D%0ASet-Cookie: b"' },
    { name: "😀", header: '"%F0%9F%98%80"' },
    { name: "\ud800", header: '"%EF%BF%BD"' },
    { name: "constructor", header: '"constructor"' },
  ])("the name $name is written $header", ({ name, header }) => {
    expect(rateLimitHeaders(granted, { name })).toEqual({
      "RateLimit-Policy": `${header};q=100`,
      RateLimit: `${header};r=42;t=35`,
    });
  });

  test("the headers include the unit and the partition key, if given", () => {
    const options = {
      name: "api",
      unit: "content-bytes",
      partitionKey: "App-999",
    } as const;
    expect(rateLimitHeaders(granted, options)).toEqual({
      "RateLimit-Policy": '"api";q=100;qu="content-bytes";pk=:QXBwLTk5OQ==:',
      RateLimit: '"api";r=42;t=35;pk=:QXBwLTk5OQ==:',
    });
    const { RateLimit } = rateLimitHeaders(granted, {
      name: "api",
      partitionKey: "größe",
    });
    const pk = Buffer.from("größe").toString("base64");
    expect(RateLimit).toBe(`"api";r=42;t=35;pk=:${pk}:`);
  });

  test("an answer without details throws and says what to pass", () => {
    const { ok } = granted;
    const bare = { ok } as typeof granted;
    expect(() => rateLimitHeaders(bare, { name: "api" })).toThrow(
      "rateLimitHeaders: the answer has no numbers. Pass details: true",
    );
  });

  test.each(["limit", "remaining", "resetAfter"])(
    "a %s that is NaN throws",
    (field) => {
      const status = { ...granted, [field]: NaN };
      expect(() => rateLimitHeaders(status, { name: "api" })).toThrow("NaN");
    },
  );

  test("whatever the name and the numbers, the headers are structured fields", () => {
    const codeUnits = fc.array(fc.integer({ min: 0, max: 0xffff }));
    const amount = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(
        codeUnits.map((units) => String.fromCharCode(...units)),
        fc.record({ limit: amount, remaining: amount, resetAfter: amount }),
        optional(amount),
        (name, details, retryAfter) => {
          const result: RateLimitReturns<true> =
            retryAfter === undefined
              ? { ok: true, ...details }
              : { ok: false, retryAfter, ...details };
          const headers = rateLimitHeaders(result, { name });
          const policy = parseItem(headers["RateLimit-Policy"]!);
          const state = parseItem(headers.RateLimit!);
          expect(state.value).toBe(policy.value);
          if (retryAfter === undefined) return;
          expect(headers["Retry-After"]).toMatch(/^\d+$/);
          expect(Number(state.t)).toBeLessThanOrEqual(
            Number(headers["Retry-After"]),
          );
        },
      ),
    );
  });
});

describe("tooManyRequests", () => {
  test("is a 429 with the headers and a problem of the draft's type", async () => {
    const options = { name: "größe", config: { rate: 100, period: MINUTE } };
    const response = tooManyRequests(denied, options);
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/problem+json",
      ratelimit: '"gr%C3%B6%C3%9Fe";r=0;t=1',
      "ratelimit-policy": '"gr%C3%B6%C3%9Fe";q=100;w=60',
      "retry-after": "1",
    });
    expect(await response.json()).toEqual({
      type: "https://iana.org/assignments/http-problem-types#quota-exceeded",
      title: "Quota Exceeded",
      status: 429,
      "violated-policies": ["gr%C3%B6%C3%9Fe"],
    });
  });

  const bare = { ok: false, retryAfter: 1500 } as const;
  const error: unknown = rateLimitedError("api", 1500);

  test.each<[what: string, answer: () => Response]>([
    [
      "a denial without numbers, such as that of hold",
      () => tooManyRequests(bare, { name: "api", legacy: "seconds" }),
    ],
    [
      "the error of a denial",
      () => tooManyRequests(isRateLimitError(error) ? error : expect.fail()),
    ],
  ])("takes %s, and reveals no balance", async (_, answer) => {
    const response = answer();
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "2",
    });
    const problem: unknown = await response.json();
    expect(problem).toMatchObject({ "violated-policies": ["api"] });
  });
});

describe("a list", () => {
  const api = { kind: "token bucket", rate: 10, period: MINUTE } as const;
  const total = { ...api, rate: 3 };
  const shown = [
    { name: "api", config: api, legacy: "seconds" },
    { name: "total", config: total },
  ] as const;
  const limiter = new RateLimiter(components.rateLimiter, { api, total });
  const asked = [
    { name: "api", count: 4 },
    { name: "total", count: 2 },
  ] as const;
  const take = (t: ReturnType<typeof startHost>, details = true) =>
    t.mutation((ctx) => limiter.limitAll(ctx, asked, { details }));

  test("names all policies, and the numbers of each", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const t = startHost();
    const granted = await take(t);
    expect(rateLimitHeaders(granted as LimitAllReturns<true>, shown)).toEqual({
      "RateLimit-Policy": '"api";q=10;w=60, "total";q=3;w=60',
      RateLimit: '"api";r=6;t=24, "total";r=1;t=40',
      "X-RateLimit-Limit": "3",
      "X-RateLimit-Remaining": "1",
      "X-RateLimit-Reset": "40",
    });
    const denied = await take(t);
    if (denied.ok) expect.fail("It was not denied.");
    const response = tooManyRequests(denied, shown);
    expect(response.headers.get("RateLimit")).toBe(
      '"api";r=6;t=20, "total";r=1;t=20',
    );
    expect(response.headers.get("Retry-After")).toBe("20");
    expect(await response.json()).toMatchObject({
      "violated-policies": ["total"],
    });
    const bare = await take(t, false);
    if (bare.ok) expect.fail("It was not denied.");
    expect(Object.fromEntries(tooManyRequests(bare, shown).headers)).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "20",
    });
  });

  test("needs the options of each item", async () => {
    const granted = (await take(startHost())) as LimitAllReturns<true>;
    expect(() => rateLimitHeaders(granted, [shown[0]])).toThrow(
      "rateLimitHeaders: there are 1 options for the 2 limits of the list.",
    );
  });
});
