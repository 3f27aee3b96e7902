import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./support/root.js";

type Manifest = {
  version?: string;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
type Lock = {
  packages: Record<string, Manifest & { name?: string; resolved?: string }>;
};

const readText = (file: string) => readFileSync(path.join(root, file), "utf8");
const readJson = <T>(file: string) => JSON.parse(readText(file)) as T;

/** The files of a folder and of those within, without what is installed there. */
const filesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap(
    (entry) => {
      const file = path.join(folder, entry.name);
      if (!entry.isDirectory()) return file;
      return entry.name === "node_modules" ? [] : filesIn(file);
    },
  );

const manifest = readJson<Manifest>("package.json");
const workspaces = manifest.workspaces!;

/** What runs in a check: its commands, the workflows, scripts and tests. */
const checks = [
  "package.json",
  ...[".ci", ".github", "scripts", "test"].flatMap(filesIn),
  ...["dashboard", "demo", "docs", "example"].flatMap((folder) =>
    filesIn(`${folder}/e2e`),
  ),
];
const code = checks.filter((file) => !/-lock\.json$|\.md$/.test(file));

/** No check of a change runs these. They write locks, try versions, and install what they have published. */
const onPurpose = [
  "scripts/lock.mjs",
  "scripts/versions.mjs",
  ".github/workflows/release.yml",
];

test("no check installs packages but by `npm ci`, as a lock says", () => {
  for (const file of code.filter((file) => !onPurpose.includes(file))) {
    // A pattern that the README's command has to match is no command.
    const install = /(?<!\^)\b(npm|pnpm|yarn)\W+(install|i|add)\b/;
    expect(readText(file), file).not.toMatch(install);
  }
});

test("`npx` runs only what is installed, and so never the latest of something", () => {
  const programs = code.flatMap((file) =>
    Array.from(readText(file).matchAll(/\bnpx["',\s]+([\w@/.-]+)/g)).map(
      ([, name]) => name!,
    ),
  );
  expect(programs).toContain("convex");
  for (const program of new Set(programs)) {
    const file = path.join(root, "node_modules/.bin", program);
    expect(existsSync(file), `npx ${program}`).toBe(true);
  }
});

/** What test/package installs. */
const apps = readdirSync(path.join(root, "test/package"), {
  withFileTypes: true,
})
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => `test/package/${name}`);

describe.each(apps)("the app in %s", (folder) => {
  const app = readJson<Manifest>(`${folder}/package.json`);
  test("names exact versions", () => {
    const exact = /^(npm:[^@]+@|npm:@[^@]+@)?\d+\.\d+\.\d+(-[\w.]+)?$|^file:/;
    for (const [name, version] of Object.entries(app.dependencies!)) {
      expect(version, name).toMatch(exact);
    }
  });

  test("has a lock that fits", () => {
    const { packages } = readJson<Lock>(`${folder}/package-lock.json`);
    expect(packages[""]!.dependencies, "npm run lock").toEqual(
      app.dependencies,
    );
    const ours = Object.values(packages).find(({ resolved }) =>
      resolved?.startsWith("file:"),
    );
    const { version, dependencies, peerDependencies } = manifest;
    expect(ours, "npm run lock").toMatchObject({
      version,
      dependencies,
      peerDependencies,
    });
  });
});

test.each(workspaces.filter((folder) => folder !== "test/react18"))(
  "%s asks for the versions that the root asks for, so that npm installs one of each",
  (folder) => {
    const { dependencies = {} } = readJson<Manifest>(`${folder}/package.json`);
    const asked = { ...manifest.devDependencies, ...manifest.dependencies };
    for (const [name, range] of Object.entries(dependencies)) {
      expect(range, name).toBe(asked[name]);
    }
  },
);
