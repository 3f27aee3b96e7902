import {
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { root, run } from "./push.js";

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

/** Packs this package as `npm publish` would and unpacks it where the app finds it. */
export async function installPacked(folder: string): Promise<void> {
  const printed = await run(
    root,
    "npm",
    "pack",
    "--json",
    "--pack-destination",
    folder,
  );
  // The build's own output comes first.
  const [{ filename }] = JSON.parse(printed.slice(printed.indexOf("["))) as [
    { filename: string },
  ];
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
