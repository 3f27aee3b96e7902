import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { Marked } from "marked";
import { describe, expect, test } from "vitest";
import { slugOf } from "../../docs/.vitepress/slug.js";
import { root } from "../support/root.js";
import { pages, SKILL } from "./snippets.js";

/** The pages that are for contributors, and the evidence. They lead to files outside the package. */
const forContributors = [
  "CONTRIBUTING.md",
  "RELEASING.md",
  "SECURITY.md",
  "bench/RESULTS.md",
  "docs/internals/algebra.md",
  "docs/internals/verified.md",
];
const packed = [...pages, "CHANGELOG.md"];

const marked = new Marked({
  renderer: {
    heading({ tokens, depth, text }) {
      const html = this.parser.parseInline(tokens);
      return `<h${depth} id="${slugOf(text)}">${html}</h${depth}>\n`;
    },
  },
});

const texts = new Map(
  [...packed, ...forContributors].map((page) => [
    page,
    marked.parse(readFileSync(root + page, "utf8"), { async: false }),
  ]),
);

/** The files of the package as npm would pack them, except built ones. */
const inPackage = (
  JSON.parse(
    execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }),
  ) as [{ files: { path: string }[] }]
)[0].files.map((file) => file.path);

type Link = { page: string; href: string; file: string; anchor?: string };

function linksOf(page: string): Link[] {
  return [...texts.get(page)!.matchAll(/(?:href|src)="([^"]*)"/g)]
    .map(([, href]) => href!)
    .filter((href) => !/^[a-z]+:/i.test(href))
    .map((href) => {
      const [file, anchor] = href.split("#");
      const to =
        file === "" || file === undefined
          ? page
          : path.posix.join(path.posix.dirname(page), file);
      return { page, href, file: to, ...(anchor !== undefined && { anchor }) };
    });
}

/** What is wrong with a link, if anything. */
function wrongWith({ file, anchor }: Link): string | undefined {
  if (!existsSync(root + file)) return "leads nowhere";
  if (anchor === undefined) return undefined;
  const text = texts.get(file);
  if (text === undefined) return "has an anchor in a file that is no page";
  return text.includes(`id="${anchor}"`) ? undefined : "has no such heading";
}

const broken = (links: Link[], problem: (link: Link) => string | undefined) =>
  links
    .filter((link) => problem(link) !== undefined)
    .map((link) => `${link.page}: ${link.href} ${problem(link)}`);

describe("the links", () => {
  test.for([...texts.keys()])(
    "of %s lead to files and headings that exist",
    (page) => {
      expect(broken(linksOf(page), wrongWith)).toEqual([]);
    },
  );

  test.for(packed)("of %s lead to files in the package", (page) => {
    const isPacked = ({ file }: Link) =>
      inPackage.includes(file) ? undefined : "is not in the package";
    expect(broken(linksOf(page), isPacked)).toEqual([]);
  });

  test("to a missing file or heading are found", () => {
    const link = (file: string, anchor?: string): Link => ({
      page: "README.md",
      href: file,
      file,
      ...(anchor !== undefined && { anchor }),
    });
    expect(wrongWith(link("docs/none.md"))).toBe("leads nowhere");
    expect(wrongWith(link("docs/keys.md", "none"))).toBe("has no such heading");
    expect(wrongWith(link("docs/keys.md", "ip-addresses"))).toBeUndefined();
  });
});

test("every page is in the package", () => {
  expect(inPackage).toEqual(expect.arrayContaining(pages));
});

test("every page is in the table of contents", () => {
  const contents = linksOf("docs/README.md").map(({ file }) => file);
  for (const page of pages) {
    const isListed = page !== "docs/README.md" && page !== SKILL;
    if (isListed) expect(contents).toContain(page);
  }
});

test("the skill works in any folder: it names files of the package without links", () => {
  expect(linksOf(SKILL)).toEqual([]);
  const text = readFileSync(root + SKILL, "utf8");
  const [, folder, list] =
    /`node_modules\/convex-rate-limiter\/(\S*)`:\n(.*)/s.exec(text)!;
  const files = [...list!.matchAll(/`(\w+\.md)`/g)].map(
    ([, file]) => folder! + file!,
  );
  expect(files).toContain("docs/limits.md");
  expect(inPackage).toEqual(expect.arrayContaining(files));
});

test("the README marks what Convex's directory of components shows", () => {
  const text = readFileSync(`${root}README.md`, "utf8");
  const marks = ["START", "END"].map(
    (mark) => `<!-- ${mark}: Include on https://convex.dev/components -->`,
  );
  const [start, end] = marks.map((mark) => text.indexOf(mark));
  expect(start).toBeGreaterThan(0);
  expect(end).toBeGreaterThan(start!);
});
