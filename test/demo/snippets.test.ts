import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { CodeFile } from "../../demo/page/Code.js";
import { FIVE_LINES } from "../../demo/page/hero/fiveLines.js";
import { definitionOf } from "../../demo/page/kinds/definition.js";
import { snippetsOf } from "../../demo/page/snippets.js";
import { compile } from "../readme/compile.js";
import { hostApp, README } from "../readme/hostApp.js";
import { readSnippets } from "../readme/snippets.js";
import { root } from "../root.js";

/** The limits of the first section, whose numbers the visitor chooses. */
const kinds = [{}, { capacity: 0 }, { period: 1500 }].map(
  (changes, i): [string, CodeFile[]] => {
    const text = definitionOf({ rate: 10, period: 20_000, ...changes });
    return [`kinds${i}`, [{ name: "convex/rateLimiter.ts", text }]];
  },
);

const sections = new Map<string, CodeFile[]>([
  ...kinds,
  ...readdirSync(`${root}demo/snippets`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }): [string, CodeFile[]] => [name, snippetsOf(name)]),
]);

test("the code beside each section compiles, in a host app of its own", () => {
  const readme = readSnippets(README);
  const apps = [...sections].flatMap(([section, files]) => {
    const snippets = files.map(({ name, text }) => ({
      where: name,
      section,
      path: name,
      language: "ts" as const,
      code: text,
    }));
    return [...hostApp(snippets, readme)].map(
      ([path, text]) => [`${section}/${path}`, text] as const,
    );
  });
  const messages = compile(new Map(apps));
  for (const [section, files] of sections) {
    expect(files).not.toEqual([]);
    for (const { name } of files) {
      expect([section, name, messages.get(`${section}/${name}`)]).toEqual([
        section,
        name,
        [],
      ]);
    }
  }
});

test("beside the holds are the example's own functions, and their limit", () => {
  const [functions, limits] = snippetsOf("holds").map(({ text }) => text);
  for (const part of [
    "export const ask = mutation({",
    "export const finish = internalMutation({",
    "await rateLimiter.settle(ctx, holdId, { count });",
  ]) {
    expect(functions).toContain(part);
  }
  expect(functions).not.toContain("import");
  expect(limits).toMatch(/^\/\/ .*\nmodelTokens: \{\n {2}kind: [^}]*\},$/);
});

test("the first lines that the page shows are those of the README", () => {
  const text = readFileSync(root + README, "utf8").replace(/\s+/g, " ");
  const lines = [
    /^export const rateLimiter = .*$/m,
    // The README has one field more.
    /kind: .*\d/,
    /^await rateLimiter.*$/m,
  ].map((line) => line.exec(FIVE_LINES)?.[0]);
  for (const line of lines) expect(text).toContain(line);
});
