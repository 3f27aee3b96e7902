import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import type { CodeFile } from "../../demo/page/Code.js";
import { FIRST_FILES } from "../../demo/page/docs.js";
import { definitionOf } from "../../demo/page/kinds/definition.js";
import { snippetsOf } from "../../demo/page/snippets.js";
import { compile } from "../readme/compile.js";
import { hostApp, README } from "../readme/hostApp.js";
import { readSnippets } from "../readme/snippets.js";
import { root } from "../support/root.js";

/** The limits of the first section, whose numbers the visitor chooses. */
const kinds = [{}, { capacity: 0 }, { period: 1500 }].map(
  (changes, i): [string, CodeFile[]] => {
    const text = definitionOf({ rate: 10, period: 20_000, ...changes });
    return [`kinds${i}`, [{ name: "convex/rateLimiter.ts", text }]];
  },
);

const sections = new Map<string, CodeFile[]>([
  ["hero", FIRST_FILES],
  ...kinds,
  ...readdirSync(`${root}demo/snippets`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }): [string, CodeFile[]] => [name, snippetsOf(name)]),
]);

test("the code beside the chat and each section compiles in an app of its own", () => {
  const readme = readSnippets(README);
  const apps = [...sections].flatMap(([section, files]) => {
    const snippets = files.map(({ name, text }) => ({
      where: name,
      section,
      path: name,
      language: name.endsWith("x") ? ("tsx" as const) : ("ts" as const),
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
