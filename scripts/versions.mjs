// Tries the newest and the oldest packages that an app may have, in a copy of this repository:
// node scripts/versions.mjs [newest] [oldest]. What somebody publishes can make it fail, so it
// is no check of a change.
import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));
const manifest = readJson(path.join(root, "package.json"));

/** The lower bound of a range. */
const lowest = (range) => /\d+(\.\d+)+/.exec(range)[0];

/** The newest version that the registry serves. */
const latest = (name) =>
  execFileSync("npm", ["view", name, "version"], { encoding: "utf8" }).trim();

/** Node itself, as npm has it. */
const NODE = `node-${process.platform}-${process.arch}`;
/** TypeScript to compile with. Tools here need the API of the locked one. */
const TSC = "typescript-tried";

/** The versions to try, by package. */
const sets = {
  newest: () =>
    Object.fromEntries(
      [
        ...["convex", "convex-test", "convex-helpers"],
        ...["react", "react-dom", "typescript", NODE],
      ].map((name) => [name, latest(name)]),
    ),
  // The suite has the oldest React of its own.
  oldest: () => ({
    convex: lowest(manifest.peerDependencies.convex),
    // As docs/testing.md says.
    "convex-test": "0.0.59",
    "convex-helpers": lowest(manifest.dependencies["convex-helpers"]),
    // As the README says.
    typescript: "5.4.2",
    [NODE]: `${lowest(manifest.engines.node)}.0`,
  }),
};

const asked = process.argv.slice(2);
const tried = asked.length === 0 ? Object.keys(sets) : asked;
for (const name of tried) {
  if (sets[name] === undefined) throw new Error(`${name}: newest or oldest?`);
}
const passed = tried.map((name) => tryOut(name, sets[name]()));
process.exitCode = passed.every(Boolean) ? 0 : 1;

/** Whether everything passes with these versions. Prints how long each step took. */
function tryOut(name, versions) {
  console.log(`\n== ${name}`, versions);
  const copy = mkdtempSync(path.join(tmpdir(), `${name}-`));
  const PATH = `${copy}/node_modules/${NODE}/bin${path.delimiter}${process.env.PATH}`;
  const took = [];
  const step = (title, command, ...args) => {
    console.log(`\n== ${name}: ${title}`);
    const began = Date.now();
    const { status } = spawnSync(command, args, {
      cwd: copy,
      env: { ...process.env, PATH },
      stdio: "inherit",
    });
    const seconds = Math.round((Date.now() - began) / 1000);
    took.push(`${status === 0 ? "passed" : "FAILED"} ${title}: ${seconds} s`);
    return status === 0;
  };
  try {
    copyRepository(copy, versions, name === "newest");
    const isInstalled = step(
      "install",
      ...["npm", "install", "--no-save", "--no-audit", "--no-fund"],
      `${NODE}@${versions[NODE]}`,
      `${TSC}@npm:typescript@${versions.typescript}`,
      `convex-helpers@${versions["convex-helpers"]}`,
    );
    return (
      isInstalled &&
      [
        step("lock the new apps", "npm", "run", "lock", "host", "documented"),
        step("suite", "npm", "test"),
        step("tsc", "npm", "run", "typecheck"),
        step("push", "npm", "run", "test:push"),
        step(
          "new apps",
          ...["npm", "run", "test:package", "--"],
          ...["--testNamePattern", "type-check"],
        ),
      ].every(Boolean)
    );
  } finally {
    rmSync(copy, { recursive: true });
    console.log(`\n== ${name}\n${took.join("\n")}`);
  }
}

/** Copies what is in the repository, and asks for these versions in the copy. */
function copyRepository(copy, versions, isNewest) {
  const left = new Set([".git", "node_modules", "dist"]);
  cpSync(root, copy, {
    recursive: true,
    filter: (file) => !left.has(path.basename(file)),
  });
  const edit = (file, change) => {
    const edited = readJson(path.join(copy, file));
    change(edited);
    writeFileSync(path.join(copy, file), JSON.stringify(edited));
  };
  const ask = (packages, ...names) => {
    for (const name of names) {
      if (name in versions) packages[name] = versions[name];
    }
  };
  edit("package.json", ({ devDependencies, scripts }) => {
    ask(devDependencies, "convex", "convex-test", "react", "react-dom");
    if (!isNewest) return;
    // The newest compiles the repository, too.
    const compiler = `node node_modules/${TSC}/bin/tsc`;
    scripts.typecheck = scripts.typecheck.replaceAll(/\btsc\b/g, compiler);
  });
  edit("embedded/package.json", ({ dependencies }) =>
    ask(dependencies, "convex", "convex-test"),
  );
  for (const app of ["host", "documented"]) {
    edit(`test/package/${app}/package.json`, (manifest) => {
      ask(manifest.dependencies, "convex", "convex-test", "typescript");
      manifest.overrides = {};
      ask(manifest.overrides, "convex-helpers");
    });
  }
}
