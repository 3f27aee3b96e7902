// Joins each module that Convex reads with what it imports of this package, since a call on a
// deployment pays for each module that it loads. Runs after tsc, in dist/component.
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const from = path.join(root, "src/component");
const to = path.join(root, "dist/component");

const files = await readdir(from);
const modules = files.filter((file) => /^[\w.]+\.ts$/.test(file));

await build({
  entryPoints: modules.map((file) => path.join(from, file)),
  outdir: to,
  bundle: true,
  format: "esm",
  target: "es2022",
  // The deployment has one copy of these for all components.
  packages: "external",
  // Drops the comments, which Convex's command would keep in classes; it breaks the lines again.
  minifyWhitespace: true,
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
});
// The modules contain what was in these.
for (const folder of ["verbs", "state"]) {
  await rm(path.join(root, "dist", folder), { recursive: true, force: true });
}
