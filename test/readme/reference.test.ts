import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { root } from "../support/root.js";

const folder = `${root}docs/reference/`;
let pages: Map<string, string>;

beforeAll(() => {
  execFileSync(process.execPath, [`${root}scripts/reference.mjs`]);
  pages = new Map(
    readdirSync(folder).map((page) => [
      page,
      readFileSync(folder + page, "utf8"),
    ]),
  );
});

/** The part of a page under a heading of the second level. */
const section = (page: string, heading: string) =>
  pages
    .get(page)!
    .split(/^## /m)
    .find((text) => text.startsWith(heading))!;

/** The names in the first column of the tables. */
const rows = (text: string) =>
  [...text.matchAll(/^\| `([\w.?]+)`/gm)].map(([, name]) => name);

test.for([
  [
    "calls.md",
    "limit()",
    "key? count? reserve? leave? upTo? throws? details? config?",
  ],
  ["holds.md", "hold()", "key? throws? count? expiresAfter? config?"],
  [
    "reservations.md",
    "schedule()",
    "fn args key? count? throws? jitter? config?",
  ],
] as const)(
  "the reference in %s lists each option of %s",
  ([page, heading, options]) => {
    const named = ["ctx", "name", ...options.split(" ")];
    expect(rows(section(page, heading))).toEqual(expect.arrayContaining(named));
  },
);

test("the reference shows the signature of `limit` as a person would write it", () => {
  expect(section("calls.md", "limit()")).toContain(`\`\`\`ts
rateLimiter.limit(ctx: MutationCtx, name: string, options?: {
  key?: string,
  config?: RefillingConfig,
  count?: number,
  reserve?: boolean,
  leave?: number,
  throws?: boolean,
  details?: boolean,
  upTo?: boolean,
}): Promise<RateLimitReturns>
\`\`\``);
});

test("a signature marks what only some of its calls need as optional", () => {
  expect(section("calls.md", "credit()")).toContain(
    "  from?: RefillingConfig,",
  );
});

test("the reference lists the fields of an object in an option", () => {
  expect(rows(section("operators.md", "setOverride()"))).toContain(
    "config.rate?",
  );
});

test("the reference says if a result depends on an option", () => {
  expect(pages.get("calls.md")).toMatch(
    /`taken` \| `number` \| Only with `upTo: true`/,
  );
});

test("the reference shows no types that only check a call", () => {
  for (const text of pages.values()) {
    expect(text).not.toMatch(
      /__\w|(?:Of|Option|Name)<|Inferred|\bConfig\b| extends /,
    );
  }
});
