import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const { name, exports } = JSON.parse(
  readFileSync(`${root}package.json`, "utf8"),
);

/** What apps import of the package, without what Convex's own tools do: `{ id, path }`, where `dist/<path>.d.ts` are its types. */
export const entryPoints = Object.entries(exports)
  .filter(([, { types }]) => types?.startsWith("./dist/"))
  .filter(([entry]) => !/_generated|convex\.config/.test(entry))
  .map(([entry, { types }]) => ({
    id: name + entry.slice(1),
    path: types.replace(/^\.\/dist\/|\.d\.ts$/g, ""),
  }));
