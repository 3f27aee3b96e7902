import {
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "../root.js";
import { run } from "./push.js";

/** Writes an app into a folder of its own, with this project's dependencies. */
export async function writeApp(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), "app-"));
  await mkdir(path.join(folder, "node_modules"));
  const { dependencies } = JSON.parse(
    await readFile(path.join(root, "package.json"), "utf8"),
  ) as { dependencies: Record<string, string> };
  const names = ["convex", ...Object.keys(dependencies)];
  for (const name of names) {
    await symlink(
      path.join(root, "node_modules", name),
      path.join(folder, "node_modules", name),
    );
  }
  const manifest = {
    type: "module",
    private: true,
    dependencies: Object.fromEntries(names.map((name) => [name, "*"])),
  };
  for (const [file, text] of Object.entries({
    "package.json": JSON.stringify(manifest),
    ...files,
  })) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
  return folder;
}

export const removeApp = (folder: string) => rm(folder, { recursive: true });

/**
 * Packs this package as `npm publish` would, but for the types, whose check takes long and which no
 * bundle has, and unpacks it where the app finds it.
 */
export async function installPacked(folder: string): Promise<void> {
  const sources = path.join(folder, "sources");
  for (const file of ["package.json", "README.md", "CHANGELOG.md", "src"]) {
    await cp(path.join(root, file), path.join(sources, file), {
      recursive: true,
    });
  }
  await run(
    root,
    process.execPath,
    path.join(root, "node_modules/typescript/bin/tsc"),
    "--project",
    "tsconfig.build.json",
    "--outDir",
    path.join(sources, "dist"),
    "--noCheck",
    "--noResolve",
    "--lib",
    "es5",
    "--declaration",
    "false",
    "--declarationMap",
    "false",
  );
  const printed = await run(
    sources,
    "npm",
    "pack",
    "--json",
    "--ignore-scripts",
    "--pack-destination",
    folder,
  );
  const [{ filename }] = JSON.parse(printed) as [{ filename: string }];
  const installed = path.join(folder, "node_modules/convex-rate-limiter");
  await mkdir(installed);
  await run(
    folder,
    "tar",
    "-xzf",
    filename,
    "-C",
    installed,
    "--strip-components=1",
  );
}
