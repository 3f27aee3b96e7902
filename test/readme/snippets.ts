import { readdirSync, readFileSync } from "node:fs";
import { root } from "../support/root.js";

/** One block of TypeScript of a Markdown page. */
export type Snippet = {
  /** Page and line, for people. */
  where: string;
  /** The heading of the second level that it stands under. */
  section: string;
  /** The file that the block is, by its first line: `// convex/messages.ts`. Undefined for a fragment. */
  path: string | undefined;
  language: "ts" | "tsx";
  code: string;
};

/** The instructions for agents. */
export const SKILL = "skills/convex-rate-limiter/SKILL.md";

/** The pages for users, by their path. */
export const pages: string[] = [
  "README.md",
  ...readdirSync(`${root}docs`)
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
  SKILL,
];

const FENCE = /^```(tsx?)(?: (\S+))?\n(.*?)^```$/gms;

/** What a block may need beside this package, marked as `ts better-auth`, and is installed here. */
const INSTALLED = ["better-auth"];

/** The blocks of a page that are marked `ts` or `tsx`, and need no other packages than these. */
export function readSnippets(
  page: string,
  packages: readonly string[] = INSTALLED,
): Snippet[] {
  return parseSnippets(page, readFileSync(root + page, "utf8"), packages);
}

export function parseSnippets(
  page: string,
  markdown: string,
  packages: readonly string[] = INSTALLED,
): Snippet[] {
  return [...markdown.matchAll(FENCE)].flatMap((match) => {
    const needs = match[2];
    if (needs !== undefined && !packages.includes(needs)) return [];
    const language = match[1] === "tsx" ? "tsx" : "ts";
    const code = match[3]!;
    const before = markdown.slice(0, match.index);
    const line = before.split("\n").length + 1;
    const path = /^\/\/ (\S+\.tsx?)\n/.exec(code)?.[1];
    const section = /.*^## ([^\n]*)/ms.exec(before)?.[1] ?? "";
    return [{ where: `${page}:${line}`, section, path, language, code }];
  });
}
