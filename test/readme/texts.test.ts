import { readdirSync, readFileSync } from "node:fs";
import { marked } from "marked";
import { expect, test } from "vitest";
import { withoutHtml } from "../../docs/.vitepress/texts.js";
import { root } from "../support/root.js";
import { pages } from "./snippets.js";

test("words that a line break separates stay apart in the pages for agents", () => {
  expect(withoutHtml("Who is limited.<br><br>Default: none.<br>• one")).toBe(
    "Who is limited. Default: none. • one",
  );
});

test("the pages for agents have no comments", () => {
  expect(withoutHtml("<!-- START:\nthis -->\n\nRate limiting\n")).toBe(
    "Rate limiting\n",
  );
});

/** What a reader of prose would see of a row or an item that lost its line. */
const RUN_TOGETHER = /^\|.*|.*\| \|.*|.*[.:;)] - .*/gm;

test.for([...pages, "CONTRIBUTING.md", "src/component/README.md"])(
  "no row of a table and no item of a list of %s is run together with what is before it",
  (page) => {
    const found: string[] = [];
    void marked.walkTokens(
      marked.lexer(readFileSync(root + page, "utf8")),
      (token) => {
        if (token.type !== "paragraph" && token.type !== "text") return;
        const prose = token.raw
          .replaceAll(/`[^`]*`/g, "code")
          .replaceAll("\n", " ");
        found.push(...(prose.match(RUN_TOGETHER) ?? []));
      },
    );
    expect(found).toEqual([]);
  },
);

test("the glossary has at most 30 entries", () => {
  const text = readFileSync(root + "src/component/README.md", "utf8");
  const [, glossary] = text.split("## Glossary\n");
  const entries = glossary!.match(/^- \*\*/gm)!;
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.length).toBeLessThanOrEqual(30);
});

test("each function that the component's README names exists", () => {
  const text = readFileSync(root + "src/component/README.md", "utf8");
  const files = readdirSync(root + "src", {
    recursive: true,
    encoding: "utf8",
  });
  const code = files
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(`${root}src/${file}`, "utf8"))
    .join("\n");
  const words = new Set(code.match(/\w+/g));
  const spans = text.match(/`[^`]+`/g)!.join(" ");
  const named = spans.match(/\b[a-z]+[A-Z]\w*\b/g)!;
  expect(named).toContain("takeAll");
  expect(named.filter((name) => !words.has(name))).toEqual([]);
});
