import { createHash } from "node:crypto";
import {
  registerDashboard,
  type DashboardOptions,
} from "convex-rate-limiter/dashboard";
import { httpRouter } from "convex/server";
import { describe, expect, test } from "vitest";
import { useStillClock } from "../support/host.js";
import { post, rateLimiter, SECRET, startDashboard } from "./dashboard.js";

useStillClock();

const authorize = () => true;

describe("registerDashboard", () => {
  test.for([
    ["neither a secret nor authorize", {}],
    ["both of them", { secret: SECRET, authorize }],
    ["an authorize that is undefined", { authorize: undefined }],
  ] as const)("refuses %s when the module loads", ([, options]) => {
    expect(() =>
      registerDashboard(httpRouter(), rateLimiter, options as never),
    ).toThrow("registerDashboard: give either a secret or authorize");
  });

  test.for([
    ["an authorize that is undefined", "Secret", { authorize: undefined }],
    ["an empty label", "Secret", { label: "" }],
    ["a secret that is undefined", "Token", { secret: undefined, authorize }],
  ] as const)("ignores %s, and asks for the %s", async ([, label, more]) => {
    const options = { secret: SECRET, ...more } as DashboardOptions;
    const response = await startDashboard(options).fetch("/rate-limits/");
    const way = label === "Secret" ? "secret" : "authorize";
    expect(await response.text()).toContain(
      `<body data-way="${way}" data-label="${label}">`,
    );
  });

  test("shows the app's label, escaped for HTML", async () => {
    const label = `"><script>'$&'</script>&amp;`;
    const text = await (
      await startDashboard({ secret: SECRET, label }).fetch("/rate-limits/")
    ).text();
    expect(text).toContain(
      `<body data-way="secret" data-label="&#34;&#62;&#60;script&#62;&#39;$&#38;&#39;&#60;/script&#62;&#38;amp;">`,
    );
  });

  test.for([
    "limits",
    "",
    "/limits?all",
    "/limits#all",
    "/my limits",
    "/límites",
    "/ops/../limits",
    "/./limits",
    "/ops\\limits",
    "//limits",
    "/limits//",
    "/lim\nits",
  ])("refuses the path %o, which would answer 404", (path) => {
    const options = { secret: SECRET, path };
    expect(() => registerDashboard(httpRouter(), rateLimiter, options)).toThrow(
      `registerDashboard: path must be as addresses have it, such as "/rate-limits/", but is "${path}".`,
    );
  });

  test.for([
    [undefined, ["/rate-limits", "/rate-limits/"]],
    ["/ops/limits", ["/ops/limits", "/ops/limits/"]],
    ["/ops/", ["/ops", "/ops/"]],
    ["/l%C3%ADmites", ["/l%C3%ADmites", "/l%C3%ADmites/"]],
    ["/", ["/"]],
  ] as const)("serves path %s with and without its slash", ([path, paths]) => {
    const http = httpRouter();
    registerDashboard(http, rateLimiter, { secret: SECRET, path });
    const routes = http.getRoutes().map(([path, method]) => [path, method]);
    expect(routes).toEqual(
      paths.flatMap((path) => [
        [path, "GET"],
        [path, "POST"],
      ]),
    );
  });
});

describe("the page", () => {
  test.for(["/rate-limits", "/rate-limits/"])("is at %s", async (path) => {
    const response = await startDashboard().fetch(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe(
      "text/html; charset=utf-8",
    );
    expect(await response.text()).toContain('<body data-way="secret" ');
  });

  test("holds no data, and loads nothing from elsewhere", async () => {
    const text = await (await startDashboard().fetch("/rate-limits/")).text();
    for (const name of [...Object.keys(rateLimiter.limits!), SECRET]) {
      expect(text).not.toContain(`"${name}"`);
    }
    const addresses = text.match(/https?:\/\/(?!www\.w3\.org\/)[^"'`\s)]+/g);
    expect(addresses).toBeNull();
  });

  test("may run its own script and style, and nothing else", async () => {
    const response = await startDashboard().fetch("/rate-limits/");
    const policy = response.headers.get("Content-Security-Policy")!;
    const text = await response.text();
    const inline = (element: string) =>
      Array.from(
        text.matchAll(new RegExp(`<${element}[^>]*>([^]*?)</${element}>`, "g")),
        ([, code]) =>
          `'sha256-${createHash("sha256").update(code!).digest("base64")}'`,
      );
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      `script-src ${inline("script").join(" ")}`,
      `style-src ${inline("style").join(" ")}`,
      "connect-src 'self'",
      "img-src data:",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(inline("script")).toHaveLength(1);
    expect(inline("style")).toHaveLength(1);
    const markup = text.replace(/<(script|style)[^]*?<\/\1>/g, "");
    expect(markup).not.toMatch(/\s(on\w+|style|src)=/);
  });

  test("forbids caching, indexing, framing and other origins, as its answers do", async () => {
    const t = startDashboard();
    for (const response of [
      await t.fetch("/rate-limits/"),
      await post(t, { ask: "limits" }),
      await post(t, { ask: "limits" }, { token: null }),
      await post(t, "no JSON"),
    ]) {
      const headers = Object.fromEntries(response.headers);
      expect(headers).toMatchObject({
        "cache-control": "no-store",
        "x-robots-tag": "noindex, nofollow",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      });
      expect(headers["content-security-policy"]).toContain(
        "frame-ancestors 'none'",
      );
      expect(Object.keys(headers).join()).not.toMatch(
        /access-control|set-cookie/,
      );
    }
  });

  test("has no other method, and nothing below its path", async () => {
    const t = startDashboard();
    const answers = [await t.fetch("/rate-limits/keys")];
    const path = "/rate-limits/limits";
    answers.push(await post(t, { ask: "limits" }, { path }));
    for (const method of ["PUT", "DELETE", "PATCH", "OPTIONS"]) {
      for (const path of ["/rate-limits", "/rate-limits/"]) {
        answers.push(await t.fetch(path, { method }));
      }
    }
    for (const { status, headers } of answers) {
      expect(status).toBe(404);
      expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
    }
  });

  test.for(["/rate-limits", "/rate-limits/"])("posts to %s", async (path) => {
    const response = await post(startDashboard(), { ask: "limits" }, { path });
    expect(response.status).toBe(200);
  });
});

describe.for([
  ["is undefined", undefined, "it is not set"],
  ["is empty", "", "it is not set"],
  ["has 15 characters", "fifteen letters", "fewer than 16 characters"],
  ["no header can carry", "sécret sécret sécret", "other than printable ASCII"],
  ["ends with a line break", "a long enough secret\n", "printable ASCII"],
] as const)("a secret that %s", ([, secret, why]) => {
  test("answers 503 with what to set, and leaves the app's other routes alone", async () => {
    const t = startDashboard({ secret });
    const page = await t.fetch("/rate-limits/");
    expect(page.status).toBe(503);
    const text = await page.text();
    expect(text).toContain(why);
    expect(text).toContain("npx convex env set RATE_LIMITS_SECRET");
    expect(text).toContain("npx convex env get RATE_LIMITS_SECRET");
    expect(await (await t.fetch("/webhook")).text()).toBe("heard");
  });

  test("lets nobody in", async () => {
    const t = startDashboard({ secret });
    for (const token of [null, "", "undefined", "fifteen letters"]) {
      const response = await post(t, { ask: "limits" }, { token });
      expect([response.status, await response.text()]).toEqual([503, "{}"]);
    }
  });
});
