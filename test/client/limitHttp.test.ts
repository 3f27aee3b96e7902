import {
  DAY,
  isWriteConflictError,
  limitHttp,
  MINUTE,
  RateLimiter,
  type HttpCtx,
  type LimitHttpOptions,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  quotes: { kind: "token bucket", rate: 2, period: MINUTE },
  render: { kind: "concurrency", capacity: 1, lease: MINUTE },
  personal: { kind: "token bucket", rate: 2, period: MINUTE, requireKey: true },
});

const request = new Request("https://example.com/quotes");
const hello = async () => new Response("Hello");

/** An app whose HTTP actions are called from this address. */
function start(ip: string | null = "192.0.2.1") {
  const t = startHost();
  const meta = { getRequestMetadata: async () => ({ ip, userAgent: null }) };
  const answer = async (
    options: LimitHttpOptions = {},
    handler: Parameters<typeof limitHttp>[3] = hello,
    name: "quotes" | "personal" = "quotes",
  ) => {
    const limited = limitHttp(limiter, name, options, handler);
    const answers: Response[] = [];
    await t.run(async (ctx) => {
      const httpCtx = { ...ctx, meta } as unknown as HttpCtx;
      answers.push(await limited(httpCtx, request));
    });
    return answers[0]!;
  };
  return { t, answer };
}

/** The ctx of an action whose mutations fail. */
const failing = (text: string) =>
  ({
    meta: { getRequestMetadata: async () => ({ ip: null }) },
    runMutation: () => Promise.reject(new Error(text)),
  }) as unknown as HttpCtx;

test("a denied request does not run the handler", async () => {
  const { answer } = start();
  const handler = vi.fn(hello);
  const options = { count: 2 };
  await answer(options, handler);
  const { status, headers } = await answer(options, handler);
  expect(status).toBe(429);
  expect(headers.get("Content-Type")).toBe("application/problem+json");
  expect(handler).toHaveBeenCalledTimes(1);
});

test("the handler gets the status, and its own headers win", async () => {
  const { answer } = start();
  const { status, statusText, headers } = await answer(
    { legacy: "seconds" },
    (_ctx, _request, { remaining }) =>
      new Response(null, {
        status: 204,
        statusText: "Nothing",
        headers: { RateLimit: "mine", "X-Left": `${remaining}` },
      }),
  );
  expect([status, statusText]).toEqual([204, "Nothing"]);
  expect(Object.fromEntries(headers)).toEqual({
    ratelimit: "mine",
    "ratelimit-policy": '"quotes";q=2;w=60',
    "x-left": "1",
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "1",
    "x-ratelimit-reset": "30",
  });
});

describe("limitHttp inside limitHttp", () => {
  const nested = async (t: ReturnType<typeof startHost>, count: number) => {
    const options = { key: () => "anna", legacy: "seconds" } as const;
    const inner = limitHttp(limiter, "quotes", { ...options, count }, hello);
    const outer = limitHttp(limiter, "personal", options, inner);
    const answers: Response[] = [];
    await t.run(async (ctx) => {
      answers.push(await outer(ctx as unknown as HttpCtx, request));
    });
    return answers[0]!;
  };

  test("names each policy that was asked, the outer one first", async () => {
    const { status, headers } = await nested(startHost(), 1);
    expect(status).toBe(200);
    expect(headers.get("RateLimit-Policy")).toBe(
      '"personal";q=2;w=60, "quotes";q=2;w=60',
    );
    expect(headers.get("RateLimit")).toBe(
      '"personal";r=1;t=30, "quotes";r=1;t=30',
    );
  });

  test("names both if the inner one denies, and the outer one alone if that denies", async () => {
    const t = startHost();
    await nested(t, 2);
    const inner = await nested(t, 2);
    expect(inner.status).toBe(429);
    expect(inner.headers.get("RateLimit")).toBe(
      '"personal";r=0;t=60, "quotes";r=0;t=60',
    );
    expect(inner.headers.get("Retry-After")).toBe("60");
    const outer = await nested(t, 2);
    expect(outer.status).toBe(429);
    expect(outer.headers.get("RateLimit-Policy")).toBe('"personal";q=2;w=60');
  });
});

test("a policy of the handler's own with the same name wins, and others stay beside the limit", async () => {
  const { answer } = start();
  const own = (policy: string) => () =>
    new Response("", { headers: { "RateLimit-Policy": policy } });
  const policyOf = async (policy: string) =>
    (await answer({}, own(policy))).headers.get("RateLimit-Policy");
  expect(await policyOf('"a";q=9, "quotes";q=1')).toBe('"a";q=9, "quotes";q=1');
  expect(await policyOf('"quotes-a-day";q=9')).toBe(
    '"quotes";q=2;w=60, "quotes-a-day";q=9',
  );
});

test("a response that the key function returns is the answer: nothing is taken", async () => {
  const { t, answer } = start();
  const handler = vi.fn(hello);
  const unknown = new Response("Who are you?", { status: 401 });
  const response = await answer({ key: () => unknown }, handler);
  expect(response).toBe(unknown);
  expect(handler).not.toHaveBeenCalled();
  expect(await storedRows(t)).toEqual([]);
});

test("a response with immutable headers gets the limit's headers", async () => {
  const { answer } = start();
  const { status, headers } = await answer({}, () =>
    Response.redirect("https://example.com/elsewhere"),
  );
  expect(status).toBe(302);
  expect(headers.get("Location")).toBe("https://example.com/elsewhere");
  expect(headers.get("RateLimit")).toBe('"quotes";r=1;t=30');
});

test("expose: true adds to the headers that the handler exposes", async () => {
  const { answer } = start();
  const exposing = () =>
    new Response("", { headers: { "Access-Control-Expose-Headers": "X-A" } });
  const exposed = (response: Response) =>
    response.headers.get("Access-Control-Expose-Headers");
  const expose = { expose: true };
  expect(exposed(await answer(expose, exposing))).toBe(
    "X-A, RateLimit-Policy, RateLimit",
  );
  expect(exposed(await answer())).toBe(null);
  expect(exposed(await answer(expose))).toBe(
    "RateLimit-Policy, RateLimit, Retry-After",
  );
});

describe("denialHeaders", () => {
  const denialHeaders = {
    "Access-Control-Allow-Origin": "https://page.example",
    "access-control-expose-headers": "X-A",
    "retry-after": "99",
  };
  const options = { denialHeaders, expose: true };

  test("are added to the 429, and win over its own", async () => {
    const { answer } = start();
    await answer({ count: 2 });
    const { status, headers } = await answer(options);
    expect(status).toBe(429);
    expect(Object.fromEntries(headers)).toEqual({
      "access-control-allow-origin": "https://page.example",
      "access-control-expose-headers":
        "X-A, RateLimit-Policy, RateLimit, Retry-After",
      "content-type": "application/problem+json",
      ratelimit: '"quotes";r=0;t=30',
      "ratelimit-policy": '"quotes";q=2;w=60',
      "retry-after": "99",
    });
  });

  test("may be a Headers object, which is copied", async () => {
    const { answer } = start();
    await answer({ count: 2 });
    const headers = new Headers({ "X-Page": "a" });
    const limited = { denialHeaders: headers };
    expect((await answer(limited)).headers.get("X-Page")).toBe("a");
  });

  test.each([
    ["a value", { "X-Page": "a\nb" }],
    ["a name", { "X Page": "a" }],
    ["a character", { "X-Page": "\u20ac" }],
  ])("are checked when the module loads: %s", (_, bad) => {
    expect(() =>
      limitHttp(limiter, "quotes", { denialHeaders: bad }, hello),
    ).toThrow("Rate limit quotes: denialHeaders are no headers.");
  });

  test("are not added to the handler's response", async () => {
    const { answer } = start();
    const { status, headers } = await answer(options);
    expect(status).toBe(200);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(null);
    expect(headers.get("Retry-After")).toBe(null);
  });

  test("are added to the 503", async () => {
    const limited = limitHttp(limiter, "quotes", options, hello);
    const { status, headers } = await limited(failing(conflicts[0]!), request);
    expect(status).toBe(503);
    expect(Object.fromEntries(headers)).toEqual({
      "access-control-allow-origin": "https://page.example",
      "access-control-expose-headers": "X-A, Retry-After",
      "content-type": "application/problem+json",
      "retry-after": "99",
    });
  });
});

describe("without a key function", () => {
  test.each([
    ["2001:db8::1", "2001:db8::/64"],
    [null, "no address"],
    ["", "no address"],
    ["unknown, or worse", "no address"],
    ["192.0.2.1:80", "no address"],
  ])("an address of %j is limited as %j", async (ip, key) => {
    const { t, answer } = start(ip);
    expect((await answer()).status).toBe(200);
    expect(await storedRows(t)).toMatchObject([{ key }]);
  });
});

test("a key function may be asynchronous, or return null for one shared limit", async () => {
  const { t, answer } = start();
  await answer({ key: async (_ctx, { url }) => new URL(url).pathname });
  await answer({ key: () => null });
  const keys = (await storedRows(t)).map(({ key }) => key);
  expect(keys).toEqual(["/quotes", undefined]);
});

test("a config function gives the limit of a key, also to the headers", async () => {
  const { answer } = start();
  const get = async (who: string) => {
    const { status, headers } = await answer({
      key: () => who,
      config: async (_ctx, key, { method }) => ({
        kind: "fixed window",
        rate: key === "paying" ? 2 : 1,
        period: method === "GET" ? DAY : MINUTE,
        start: 0,
      }),
    });
    return [status, headers.get("RateLimit-Policy")];
  };
  expect(await get("ada")).toEqual([200, '"quotes";q=1;w=86400']);
  expect(await get("ada")).toEqual([429, '"quotes";q=1;w=86400']);
  expect(await get("paying")).toEqual([200, '"quotes";q=2;w=86400']);
  expect((await get("paying"))[0]).toBe(200);
  expect((await get("paying"))[0]).toBe(429);
});

test("a key function that returns no key throws, and takes nothing", async () => {
  const { t, answer } = start();
  const nothing = (() => undefined) as unknown as () => string;
  await expect(answer({ key: nothing })).rejects.toThrow("returned undefined");
  const key = () => null;
  await expect(answer({ key }, hello, "personal")).rejects.toThrow(
    "it has requireKey",
  );
  expect(await storedRows(t)).toEqual([]);
});

/** The texts of convex-backend, for a component's table and for Convex's own. */
const conflicts = [
  'Documents read from or written to the "rateLimits" table changed while this mutation was being run and on every subsequent retry. See https://docs.convex.dev/error#1',
  "Data read or written in this mutation changed while it was being run. Consider reducing the amount of data read",
  '{"code":"OptimisticConcurrencyControlFailure","message":"…"}',
];

test.each(conflicts)(
  "a request that is lost to write conflicts gets a 503 (text %#)",
  async (text) => {
    const handler = vi.fn(hello);
    const answered = limitHttp(limiter, "quotes", {}, handler);
    const { status, headers } = await answered(failing(text), request);
    expect(status).toBe(503);
    expect(Object.fromEntries(headers)).toEqual({
      "content-type": "application/problem+json",
      "retry-after": "1",
    });
    expect(handler).not.toHaveBeenCalled();
  },
);

test("a handler that fails fails the request, even by write conflicts", async () => {
  const { answer } = start();
  const failing = async () => Promise.reject(new Error(conflicts[0]));
  await expect(answer({}, failing)).rejects.toThrow("changed while");
});

test("a request that fails without a write conflict throws its error", async () => {
  const limited = limitHttp(limiter, "quotes", {}, hello);
  const answer = limited(failing("Too much data read"), request);
  await expect(answer).rejects.toThrow("Too much data read");
});

test("isWriteConflictError is true of errors of write conflicts only", () => {
  for (const text of conflicts) {
    expect(isWriteConflictError(new Error(text))).toBe(true);
    expect(isWriteConflictError(text)).toBe(false);
  }
  expect(isWriteConflictError(new Error("Too much data read"))).toBe(false);
  expect(isWriteConflictError(undefined)).toBe(false);
});

test("limitHttp throws when the module loads if its limit or options are bad", () => {
  // What code without types may do.
  const wrap = limitHttp as (...args: unknown[]) => unknown;
  expect(() => wrap(limiter, "quote", {}, hello)).toThrow("is not defined");
  expect(() => wrap(limiter, "render", {}, hello)).toThrow("only held");
  expect(() => wrap(limiter, "quotes", hello)).toThrow(
    "the options must be an object",
  );
});
