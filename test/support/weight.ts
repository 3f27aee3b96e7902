import { build } from "esbuild";
import { existsSync } from "node:fs";
import path from "node:path";
import { root } from "./root.js";

/**
 * The files of this package that a module imports, and how many bytes each adds: without comments,
 * and with short names for variables, as in Convex's bundles. Does not count dynamic imports, which
 * are evaluated only when they are reached.
 */
export async function weigh(code: string): Promise<Map<string, number>> {
  const { metafile } = await build({
    stdin: { contents: code, resolveDir: path.join(root, "src") },
    bundle: true,
    format: "esm",
    splitting: true,
    outdir: "nowhere",
    write: false,
    metafile: true,
    minifyWhitespace: true,
    minifyIdentifiers: true,
    external: ["convex/*", "convex-helpers/*", "ipaddr.js"],
    absWorkingDir: root,
  });
  const evaluated = new Set<string>();
  const visit = (file: string) => {
    if (evaluated.has(file)) return;
    evaluated.add(file);
    for (const { path, kind, external } of metafile.outputs[file]!.imports) {
      if (kind === "import-statement" && external !== true) visit(path);
    }
  };
  visit("nowhere/stdin.js");
  const files = [...evaluated]
    .flatMap((file) => Object.entries(metafile.outputs[file]!.inputs))
    .map(([file, { bytesInOutput }]) => [file, bytesInOutput] as const)
    .filter(([file, bytes]) => file.startsWith("src/") && bytes > 0)
    .sort(([, a], [, b]) => b - a);
  return new Map(files);
}

/** @throws An `Error` that lists the files, the heaviest first, if they have more bytes. */
export function requireAtMost(
  bytes: number,
  files: Map<string, number>,
  what: string,
): void {
  const all = [...files.values()].reduce((sum, own) => sum + own, 0);
  if (all <= bytes) return;
  const list = Array.from(files, ([file, own]) => `${own} ${file}`);
  throw new Error(
    `${what} has ${all} bytes, and may have ${bytes}. Keep out what it does not run, or raise the number here and say why.\n${list.join("\n")}`,
  );
}

/** @throws An `Error` if a file of src does not exist, so that nothing could ever import it. */
export function requireFile(file: string): void {
  if (existsSync(path.join(root, "src", file))) return;
  throw new Error(`There is no src/${file}.`);
}
