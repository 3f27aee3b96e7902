import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";
import { checkLinks } from "./checkLinks.js";
import { checkSearch } from "./checkSearch.js";
import reference from "./reference.json" with { type: "json" };
import { indexOptions, searchable, searchOptions } from "./search.js";
import { slugOf } from "./slug.js";
import { linkTexts, textsForAgents } from "./texts.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Pages are where their files are in the repository; a README is its folder's index, but that of
 * the repository is the first guide, since the site has a start page of its own.
 */
const siteOf = (page: string) =>
  page === "README.md"
    ? "start.md"
    : page
        .replace(/^docs\/site\//, "")
        .replace(/(^|\/)README\.md$/, "$1index.md");

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230f766e'/%3E%3Cpath d='M4 12V8m4 4V4m4 8V6' stroke='white' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

const START = "Getting started";

/** A page's title, which is also what the sidebar and the search call it. */
function titleOf(page: string): string {
  const text = readFileSync(path.join(repository, `${page}.md`), "utf8");
  return /^# (.*)$/m.exec(text)![1]!.replaceAll("`", "");
}

const pages = (...names: string[]) =>
  names.map((page) => ({ text: titleOf(page), link: `/${page}` }));

const guides = (...names: string[]) =>
  pages(...names.map((name) => `docs/${name}`));

const sidebar: DefaultTheme.SidebarItem[] = [
  { text: START, link: "/start" },
  ...guides("how-it-works"),
  {
    text: "What most apps need",
    items: guides(
      "limits",
      "calls",
      "keys",
      "react",
      "recipes",
      "troubleshooting",
      "testing",
      "dashboard",
    ),
  },
  {
    text: "What some apps need",
    collapsed: true,
    items: guides(
      "holds",
      "reservations",
      "overrides",
      "sharing",
      "http",
      "scaling",
      "operators",
      "privacy",
    ),
  },
  {
    text: "Decide",
    collapsed: true,
    items: guides(
      "protection",
      "cost",
      "comparison",
      "stability",
      "migrating",
      "migrating-others",
    ),
  },
  {
    text: "Understand",
    collapsed: true,
    items: pages(
      "docs/internals/algebra",
      "docs/internals/verified",
      "bench/RESULTS",
      "CHANGELOG",
    ),
  },
  {
    text: "API reference",
    link: "/docs/reference/",
    collapsed: true,
    items: Object.entries(reference).map(([page, { title }]) => ({
      text: title,
      link: `/docs/reference/${page}`,
    })),
  },
];

export default defineConfig({
  title: "convex-rate-limiter",
  // Where the site is published, as GitHub puts it below the name of the repository.
  base: process.env.DOCS_BASE ?? "/",
  description: "Rate limiting for Convex apps, as a component.",
  srcDir: "..",
  srcExclude: [
    "{demo,embedded,example,sim,skills,src,test}/**",
    ".github/**",
    "docs/site/sample.md",
    "{CONTRIBUTING,RELEASING,SECURITY}.md",
  ],
  // Or else it would take every config.ts of the repository for one.
  additionalConfig: {},
  rewrites: siteOf,
  cleanUrls: true,
  lastUpdated: false,
  vite: { publicDir: false, plugins: [textsForAgents(repository)] },
  head: [["link", { rel: "icon", href: ICON }]],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    config: (md) => {
      md.core.ruler.push("readme", ({ tokens, env }) => {
        const { relativePath = "" } = env as { relativePath?: string };
        const page = siteOf(relativePath);
        const folder = path.posix.dirname(page);
        tokens.forEach((token, i) => {
          if (page === "start.md" && tokens[i - 1]?.tag === "h1") {
            const [text] = token.children ?? [];
            if (text !== undefined) text.content = START;
          }
          for (const link of token.children ?? []) {
            const href = link.attrGet("href");
            if (link.type !== "link_open" || href === null) continue;
            // As relative links are in the repository.
            const [file = "", anchor] = href.split("#");
            if (!file.endsWith("README.md")) continue;
            const from = siteOf(path.posix.join(folder, file));
            const to = path.posix.relative(folder, from);
            link.attrSet("href", anchor === undefined ? to : `${to}#${anchor}`);
          }
        });
      });
      // A page that the package does not have is named in code. Here it is a link.
      const code = md.renderer.rules.code_inline!;
      md.renderer.rules.code_inline = (tokens, i, ...rest) => {
        const html = code(tokens, i, ...rest);
        const { content } = tokens[i]!;
        const isPage =
          /^(docs|bench)\/.*\.md$/.test(content) &&
          existsSync(path.join(repository, content));
        if (!isPage || tokens[i - 1]?.type === "link_open") return html;
        const { relativePath } = rest[1] as { relativePath: string };
        const href = path.posix.relative(
          path.posix.dirname(relativePath),
          content.replace(/\.md$/, ""),
        );
        return `<a href="${href}">${html}</a>`;
      };
    },
  },
  themeConfig: {
    nav: [
      { text: START, link: "/start" },
      { text: "All pages", link: "/docs/" },
      ...guides("recipes"),
      { text: "API reference", link: "/docs/reference/" },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: { options: indexOptions, searchOptions },
        _render: async (text, env, md) =>
          searchable(siteOf(env.relativePath), await md.renderAsync(text, env)),
      },
    },
    docFooter: { prev: "Previous", next: "Next" },
    externalLinkIcon: true,
  },
  buildEnd: async ({ outDir, site, pages }) => {
    await linkTexts(outDir, site.base, pages, siteOf);
    await checkLinks(outDir, site.base);
    await checkSearch(outDir);
  },
});
