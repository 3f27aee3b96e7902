import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";
import { checkLinks } from "./checkLinks.js";
import { slugOf } from "./slug.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Pages are where their files are in the repository; a README is its folder's index. */
const siteOf = (page: string) => page.replace(/(^|\/)README\.md/, "$1index.md");

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230f766e'/%3E%3Cpath d='M4 12V8m4 4V4m4 8V6' stroke='white' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E";

const pages = (folder: string, texts: Record<string, string>) =>
  Object.entries(texts).map(([page, text]) => ({
    text,
    link: `${folder}${page}`,
  }));

const sidebar: DefaultTheme.SidebarItem[] = [
  { text: "Start", link: "/" },
  {
    text: "Decide",
    items: pages("/docs/", {
      limits: "Which limit do I need?",
      keys: "Whom do I limit?",
      scaling: "Hundreds of calls a second",
      cost: "What does a call cost?",
      protection: "What a limit cannot stop",
      comparison: "Other packages",
    }),
  },
  {
    text: "Do",
    items: pages("/docs/", {
      calls: "What can I call?",
      holds: "Settle costs, limit what runs",
      reservations: "Queue work",
      overrides: "Ban, raise, try",
      react: "Show a limit in the browser",
      http: "Answer 429",
      dashboard: "A dashboard",
      operators: "Lists, stats, alerts",
      testing: "Test an app with limits",
      migrating: "Move from another package",
      recipes: "Recipes",
      troubleshooting: "What went wrong?",
    }),
  },
  {
    text: "Understand",
    items: [
      { text: "API reference", link: "/docs/reference/" },
      ...pages("/docs/internals/", {
        algebra: "The algebra",
        verified: "What was verified",
      }),
      { text: "Simulated results", link: "/bench/RESULTS" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
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
    "{CONTRIBUTING,RELEASING,SECURITY}.md",
  ],
  // Or else it would take every config.ts of the repository for one.
  additionalConfig: {},
  rewrites: siteOf,
  cleanUrls: true,
  lastUpdated: false,
  vite: { publicDir: false },
  head: [["link", { rel: "icon", href: ICON }]],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
    config: (md) => {
      // As relative links are in the repository.
      md.core.ruler.push("readme", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.attrGet("href");
          if (token.type === "link_open" && href !== null) {
            token.attrSet("href", siteOf(href));
          }
        }
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
    sidebar,
    outline: [2, 3],
    search: {
      provider: "local",
      options: {
        miniSearch: {
          // What a page for readers says comes first.
          searchOptions: {
            boostDocument: (id: string) =>
              /reference|RESULTS|internals/.test(id) ? 0.3 : 1,
          },
        },
      },
    },
    docFooter: { prev: "Previous", next: "Next" },
    externalLinkIcon: true,
  },
  buildEnd: ({ outDir, site }) => checkLinks(outDir, site.base),
});
