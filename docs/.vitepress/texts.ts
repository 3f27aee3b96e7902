import { readFileSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import llmstxt from "vitepress-plugin-llms";

/** What the repository has for people who look into it, and not for those who use the package. */
const internals = ["bench/**", "docs/internals/**", "CHANGELOG.md"];

/** What llms.txt has no link to: the same, and the lists that it is made of. */
const UNLISTED =
  /^(bench\/|docs\/internals\/|(CHANGELOG|docs|docs\/reference)\.md$)/;

/** The contents, as the README of `docs` and the reference have them, below its title. */
function contents(repository: string): string {
  const [pages, reference] = ["docs/README.md", "docs/reference/index.md"].map(
    (file) => readFileSync(path.join(repository, file), "utf8"),
  );
  const sections = pages!.replace(/^.*?(?=^## )/ms, "");
  // As links of the other file.
  return `${sections}\n#${reference!.replaceAll("](", "](reference/")}`;
}

/** Writes llms.txt, llms-full.txt and each page as Markdown, for agents. */
export const textsForAgents = (repository: string) =>
  llmstxt({
    customLLMsTxtTemplate: "# {title}\n\n{description}\n\n{details}\n\n{toc}",
    toc: contents(repository),
    // The start page has a link that everyone sees.
    injectLLMHint: false,
    // It would glue words together that a line break separates.
    stripHTML: false,
    ignoreFiles: ["docs/site/**"],
    ignoreFilesPerOutput: { llmsFullTxt: internals },
  });

/** HTML as words: a line break is a space, and a comment is nothing. */
export const withoutHtml = (markdown: string) =>
  markdown.replaceAll(/<!--.*?-->\n*/gs, "").replaceAll(/(<br>)+/g, " ");

/** Where the text of a page is: `docs.md` for `docs/index.md`. */
const textOf = (page: string) => page.replace(/\/index\.md$/, ".md");

/**
 * Makes the links of the texts, which are relative to files of the repository, those of the
 * texts. Pictures become their descriptions. Fails if llms.txt does not list a page.
 */
export async function linkTexts(
  outDir: string,
  base: string,
  sources: readonly string[],
  siteOf: (source: string) => string,
): Promise<void> {
  const addressOf = (source: string) => base + textOf(siteOf(source));
  const sourceOf = new Map(
    sources.map((source) => [addressOf(source), source]),
  );
  const files = await readdir(outDir, { recursive: true });
  for (const file of files.filter((name) => /\.(md|txt)$/.test(name))) {
    const text = await readFile(path.join(outDir, file), "utf8");
    const linked = text.split(/^(?=---\nurl: )/m).map((page) => {
      const address = /^---\nurl: (\S+)/.exec(page)?.[1];
      // The links of llms.txt come from the README of `docs`, and those of the reference.
      const source = sourceOf.get(address ?? "") ?? "docs/README.md";
      const folder = path.posix.dirname(source);
      return withoutHtml(page)
        .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "Picture: $1")
        .replaceAll(/\]\(([\w./-]+\.md)?(?=#|\))/g, (_, to?: string) => {
          const file = to === undefined ? source : path.posix.join(folder, to);
          return `](${addressOf(file)}`;
        });
    });
    await writeFile(path.join(outDir, file), linked.join(""));
  }
  const list = await readFile(path.join(outDir, "llms.txt"), "utf8");
  const missing = files
    .filter((name) => name.endsWith(".md") && !UNLISTED.test(name))
    .filter((name) => !list.includes(`](${base}${name})`));
  if (missing.length > 0) {
    throw new Error(`llms.txt does not list ${missing.join(", ")}.`);
  }
}
