import { readdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { page } from "../../src/dashboard/_generated/page.js";
import { requireAtMost, weigh } from "../support/weight.js";

const bare = `
  import { httpRouter } from "convex/server";
  import { RateLimiter } from "./client/index.js";

  const http = httpRouter();
  const rateLimiter = new RateLimiter({});
  export default http;
`;
const mounted = bare.replace(
  "export default",
  `registerDashboard(http, rateLimiter, { secret: "" });\nexport default`,
);
const withDashboard = `import { registerDashboard } from "./dashboard/index.js";${mounted}`;

test("an http.ts with the dashboard evaluates at most 1 kB more, for any route", async () => {
  const before = await weigh(bare);
  const after = await weigh(withDashboard);
  const added = new Map([...after].filter(([file]) => !before.has(file)));
  expect([...added.keys()]).toEqual(["src/dashboard/index.ts"]);
  requireAtMost(1_000, added, "registerDashboard");
});

describe("nothing of the dashboard is in", () => {
  const entries = ["client", "react", "helpers"].map(
    (folder) => `./${folder}/index.js`,
  );
  const modules = readdirSync("src/component")
    .filter((file) => /^\w+\.ts$/.test(file))
    .map((file) => `./component/${file.replace(/ts$/, "js")}`);
  test.for([...entries, ...modules, "./test.js"])("%s", async (entry) => {
    const files = await weigh(
      `import * as all from ${JSON.stringify(entry)}; globalThis.it = all;`,
    );
    expect(
      [...files.keys()].filter((file) => file.startsWith("src/dashboard")),
    ).toEqual([]);
  });
});

test("the page has at most 45 kB, gzipped", () => {
  const bytes = gzipSync(page, { level: 9 }).byteLength;
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(45_000);
});
