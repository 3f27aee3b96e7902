import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Fails the build of the site if a link of a page or text leads to no page, file or heading of it. */
export async function checkLinks(outDir: string, base: string): Promise<void> {
  const files = await readdir(outDir, { recursive: true });
  const pages = new Map(
    await Promise.all(
      files
        .filter((file) => /\.(html|md|txt)$/.test(file))
        .map(
          async (file) =>
            [file, await readFile(path.join(outDir, file), "utf8")] as const,
        ),
    ),
  );
  const broken = [...pages].flatMap(([page, html]) =>
    linksOf(html)
      .filter((href) => !leadsSomewhere(base + page, href, base, pages, files))
      .map((href) => `${page}: ${href}`),
  );
  if (broken.length > 0) {
    throw new Error(`Links that lead nowhere:\n${broken.join("\n")}`);
  }
}

function linksOf(text: string): string[] {
  return [...text.matchAll(/(?:href|src)="([^"]*)"|\]\(([^)\s]*)\)/g)]
    .map(([, href, link]) => (href ?? link!).replaceAll("&amp;", "&"))
    .filter((href) => !/^[a-z]+:/i.test(href));
}

function leadsSomewhere(
  from: string,
  href: string,
  base: string,
  pages: ReadonlyMap<string, string>,
  files: readonly string[],
): boolean {
  const { pathname, hash } = new URL(href, `http://site${from}`);
  if (!pathname.startsWith(base)) return false;
  const file = decodeURI(pathname.slice(base.length));
  if (file !== "" && path.extname(file) !== "" && !files.includes(file))
    return false;
  // The headings of a text are those of its page.
  const name = file.replace(/\.md$/, "");
  const page = [name, `${name}.html`, path.posix.join(name, "index.html")].find(
    (name) => pages.has(name),
  );
  if (page === undefined) return files.includes(file);
  const id = decodeURIComponent(hash.slice(1));
  return id === "" || pages.get(page)!.includes(`id="${id}"`);
}
