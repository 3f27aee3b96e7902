import { describe, expect, onTestFinished, test, vi } from "vitest";
import { RateLimiter } from "../../src/client/RateLimiter.js";
import { isSame } from "../../src/dashboard/access.js";
import { MIDNIGHT, storedRows, useStillClock } from "../support/host.js";
import { ask, post, SECRET, startDashboard } from "./dashboard.js";

useStillClock();

const LIMITS = { ask: "limits" };
const statusOf = async (response: Promise<Response>) => (await response).status;

// Other headers that are no secret: fuzz.test.ts.
test.for([
  ["another secret", "another secret that is wrong"],
  ["the beginning of the secret", SECRET.slice(0, -1)],
  ["more than the secret", `${SECRET}.`],
  ["the secret in capitals", SECRET.toUpperCase()],
] as const)("%s gets an empty 401", async ([, token]) => {
  const response = await post(startDashboard(), LIMITS, { token });
  expect([response.status, await response.text()]).toEqual([401, "{}"]);
});

const wrong = { token: "a wrong secret, and a long one" };

describe("wrong attempts", () => {
  test("are limited by address, ten at once and five a minute", async () => {
    const t = startDashboard().withRequestMetadata({ ip: "192.0.2.1" });
    for (let i = 0; i < 10; i++) {
      expect(await statusOf(post(t, LIMITS, wrong))).toBe(401);
    }
    const limited = await post(t, LIMITS, wrong);
    expect([limited.status, await limited.text()]).toEqual([429, "{}"]);
    vi.setSystemTime(MIDNIGHT + 12_000);
    expect(await statusOf(post(t, LIMITS, wrong))).toBe(401);
    expect(await statusOf(post(t, LIMITS, wrong))).toBe(429);
  });

  test("are limited over all addresses, sixty a minute", async () => {
    const t = startDashboard();
    const from = (i: number) =>
      statusOf(
        post(t.withRequestMetadata({ ip: `198.51.100.${i}` }), LIMITS, wrong),
      );
    for (let i = 0; i < 60; i++) expect(await from(i)).toBe(401);
    expect(await from(60)).toBe(429);
  });

  test("do not lock out whoever has the right secret", async () => {
    const t = startDashboard().withRequestMetadata({ ip: "192.0.2.1" });
    for (let i = 0; i < 12; i++) await post(t, LIMITS, wrong);
    expect(await statusOf(post(t, LIMITS, wrong))).toBe(429);
    expect(await statusOf(post(t, LIMITS))).toBe(200);
  });

  test("do not include requests without a secret, as of a page that was just opened", async () => {
    const t = startDashboard();
    for (let i = 0; i < 20; i++) {
      expect(await statusOf(post(t, LIMITS, { token: null }))).toBe(401);
    }
    expect(await storedRows(t)).toEqual([]);
  });

  test("from an address that cannot be read are limited", async () => {
    const t = startDashboard();
    for (const ip of [null, "unix socket"]) {
      const from = t.withRequestMetadata({ ip });
      for (let i = 0; i < 10; i++) await post(from, LIMITS, wrong);
      expect(await statusOf(post(from, LIMITS, wrong))).toBe(429);
    }
  });
});

describe("with authorize", () => {
  test("authorize gets the header, the address and no body", async () => {
    const seen: unknown[] = [];
    const t = startDashboard({
      authorize: async (ctx, request): Promise<boolean> => {
        const { ip } = await ctx.meta.getRequestMetadata();
        const bearer = request.headers.get("Authorization");
        seen.push([request.method, bearer, ip, await request.text()]);
        return true;
      },
    }).withRequestMetadata({ ip: "192.0.2.1" });
    const token = "what it wants";
    expect(await statusOf(post(t, LIMITS, { token }))).toBe(200);
    expect(seen).toEqual([["POST", "Bearer what it wants", "192.0.2.1", ""]]);
  });

  test.for([true, "Ada"])(
    "%s lets a request in, even without a token",
    async (verdict) => {
      const t = startDashboard({ authorize: () => verdict });
      expect(await statusOf(post(t, LIMITS, { token: null }))).toBe(200);
    },
  );

  const refuse = (): boolean => {
    throw new Error("no");
  };

  test.for<[string, () => unknown]>([
    ["false", () => false],
    ["an empty name", () => ""],
    ["undefined", () => undefined],
    ["1", () => 1],
    ["an object", () => ({ name: "Ada" })],
    ["a promise of false", async () => false],
    ["an error", refuse],
    ["a promise of an error", async () => refuse()],
  ])("%s refuses with an empty 403", async ([, authorize]) => {
    const t = startDashboard({ authorize: authorize as () => boolean });
    const response = await post(t, LIMITS, { token: "who I am" });
    expect([response.status, await response.text()]).toEqual([403, "{}"]);
    expect(await statusOf(post(t, LIMITS, { token: null }))).toBe(401);
  });

  test("refused requests are limited", async () => {
    const t = startDashboard({ authorize: () => false });
    for (let i = 0; i < 10; i++) {
      expect(await statusOf(post(t, LIMITS))).toBe(403);
    }
    expect(await statusOf(post(t, LIMITS))).toBe(429);
  });

  test("each answer has the name that authorize returns", async () => {
    const answered = (verdict: true | string) =>
      ask(startDashboard({ authorize: () => verdict }), LIMITS);
    expect(await answered("Ada")).toMatchObject({ operator: "Ada" });
    expect(await answered(true)).not.toHaveProperty("operator");
  });

  test("each note that is stored has the name that authorize returns", async () => {
    const t = startDashboard({ authorize: () => "Ada" });
    const limitKey = { limit: "message", key: "bob" };
    const until = MIDNIGHT + 60_000;
    const noteAfter = async (asked: object) => {
      await ask(t, { ...limitKey, ...asked });
      const { overrides } = await ask<{ overrides: { note?: string }[] }>(t, {
        ask: "key",
        ...limitKey,
      });
      return overrides.map(({ note }) => note);
    };
    expect(await noteAfter({ ask: "ban", until, note: "Spam." })).toEqual([
      "Spam. · by Ada",
    ]);
    expect(await noteAfter({ ask: "lift", until })).toEqual(["by Ada"]);
  });
});

test("each refusal, whatever its status, says that the dashboard refused", async () => {
  const t = startDashboard();
  const answers = [
    await post(t, LIMITS, { token: null }),
    await post(t, LIMITS, { headers: { "Sec-Fetch-Site": "cross-site" } }),
    await post(startDashboard({ secret: "" }), LIMITS),
  ];
  for (let i = 0; i < 11; i++) answers.push(await post(t, LIMITS, wrong));
  const found = answers.map((one) => `${one.status} ${refusedBy(one)}`);
  expect([...new Set(found)]).toEqual([
    "401 the dashboard",
    "403 the dashboard",
    "503 the dashboard",
    "429 the dashboard",
  ]);
});

const refusedBy = ({ headers }: Response) => headers.get("Refused-By");

test("an error that no check of the request threw is a 500, whatever it says", async () => {
  const t = startDashboard();
  const says = new Error("Rate limit message: the rows are broken.");
  for (const method of ["limitAll", "getValue"] as const) {
    const failing = vi.spyOn(RateLimiter.prototype, method);
    failing.mockRejectedValue(says);
    onTestFinished(() => failing.mockRestore());
  }
  const logged = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => logged.mockRestore());
  expect(refusedBy(await post(t, LIMITS))).toBeNull();
  expect(refusedBy(await post(t, {}))).toBeNull();
  for (const failed of [
    await post(t, { ask: "find", key: "ada" }),
    await post(t, LIMITS, wrong),
  ]) {
    expect([failed.status, refusedBy(failed), await failed.json()]).toEqual([
      500,
      null,
      { error: "The server failed; its log says how." },
    ]);
  }
});

test.for([
  ["a form", { "Content-Type": "text/plain" }],
  ["a form without a type", { "Content-Type": "" }],
  ["another host of the site", { "Sec-Fetch-Site": "same-site" }],
] as const)(
  "a page of another site is refused even if everybody is authorized: %s",
  async ([, headers]) => {
    const t = startDashboard({ authorize: () => true });
    const asked = post(t, LIMITS, { headers: { ...headers } });
    expect(await statusOf(asked)).toBe(403);
  },
);

describe("the comparison", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test.for([
    ["secret", "equals", "secret"],
    ["secret", "differs from", "secreT"],
    ["secretsecret", "differs from", "secret"],
    ["", "differs from", "secret"],
  ] as const)("finds that %o %s %o", ([given, verdict, secret]) => {
    expect(isSame(bytes(given), bytes(secret))).toBe(verdict === "equals");
  });

  test("looks at every byte, wherever the first difference is", () => {
    const looksAt = (given: string) => {
      let looks = 0;
      const counted = (text: string) =>
        new Proxy(bytes(text), {
          get: (target, field) => {
            if (field !== "length") looks++;
            return Reflect.get(target, field) as unknown;
          },
        });
      isSame(counted(given), counted("the secret"));
      return looks;
    };
    expect(looksAt("the secret")).toBe(20);
    expect(looksAt("xhe secret")).toBe(20);
    expect(looksAt("the secrex")).toBe(20);
    expect(looksAt("xxx")).toBe(6);
  });
});
