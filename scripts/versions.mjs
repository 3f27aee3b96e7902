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

/** The apps in test/package that have these versions. */
const apps = ["host", "documented"];

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
  const install = (title, ...packages) =>
    step(
      title,
      ...["npm", "install", "--no-save", "--no-audit", "--no-fund"],
      `${NODE}@${versions[NODE]}`,
      ...packages,
    );
  try {
    copyRepository(copy);
    askInApps(copy, versions);
    const wasPacked = [
      install("install what the lock says"),
      step("lock new apps", "npm", "run", "lock", ...apps),
      // What is published is built with the locked versions.
      step(
        "new apps",
        ...["npm", "run", "test:package", "--"],
        ...["--testNamePattern", "type-check"],
      ),
    ];
    askInRepository(copy, versions, name === "newest");
    const isInstalled = install(
      `install the ${name}`,
      `${TSC}@npm:typescript@${versions.typescript}`,
      `convex-helpers@${versions["convex-helpers"]}`,
    );
    return [
      ...wasPacked,
      isInstalled,
      step("suite", "npm", "test"),
      // The sources need the types of a newer convex than the apps above.
      name === "oldest" || step("tsc", "npm", "run", "typecheck"),
      // Of what the step of the new apps has built, with the locked versions.
      step("push", "npx", "vitest", "run", "--config", "vitest.push.config.ts"),
    ].every(Boolean);
  } finally {
    rmSync(copy, { recursive: true });
    console.log(`\n== ${name}\n${took.join("\n")}`);
  }
}

function copyRepository(copy) {
  const left = new Set([".git", "node_modules", "dist"]);
  cpSync(root, copy, {
    recursive: true,
    filter: (file) => !left.has(path.basename(file)),
  });
}

function edit(file, change) {
  const edited = readJson(file);
  change(edited);
  writeFileSync(file, JSON.stringify(edited));
}

/** Asks for the versions of these packages, if they are to be tried. */
function ask(packages, versions, ...names) {
  for (const name of names) {
    if (name in versions) packages[name] = versions[name];
  }
}

function askInApps(copy, versions) {
  for (const app of apps) {
    edit(`${copy}/test/package/${app}/package.json`, (manifest) => {
      ask(manifest.dependencies, versions, "convex", "convex-test");
      // The host has an oldest and a newest TypeScript anyway.
      if (app !== "host") ask(manifest.dependencies, versions, "typescript");
      manifest.overrides = {};
      ask(manifest.overrides, versions, "convex-helpers");
    });
  }
}

function askInRepository(copy, versions, isNewest) {
  const names = ["convex", "convex-test", "react", "react-dom"];
  edit(`${copy}/package.json`, ({ devDependencies, scripts }) => {
    ask(devDependencies, versions, ...names);
    const compiler = `node node_modules/${TSC}/bin/tsc`;
    scripts.typecheck = scripts.typecheck.replaceAll(/\btsc\b/g, compiler);
  });
  edit(`${copy}/embedded/package.json`, ({ dependencies }) =>
    ask(dependencies, versions, "convex", "convex-test"),
  );
  // No app has the embedded server, which needs convex 1.47.
  if (!isNewest) rmSync(`${copy}/embedded/test`, { recursive: true });
}
