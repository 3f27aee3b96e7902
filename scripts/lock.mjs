// Writes the lock of each app in test/package, or of those it is given, from its package.json:
// node scripts/lock.mjs [APP ...]. A lock says what the app's test installs, so that what
// somebody publishes later changes nothing there.
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const apps = path.join(root, "test/package");
/** Where each app has this package. */
const TARBALL = "convex-rate-limiter.tgz";

const scratch = mkdtempSync(path.join(tmpdir(), "lock-"));
const inScratch = (file) => path.join(scratch, file);
const npm = (...args) =>
  execFileSync("npm", args, {
    cwd: scratch,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });

// Not built: a lock needs its package.json only.
const packed = npm("pack", root, "--ignore-scripts", "--silent").trim();
renameSync(inScratch(packed), inScratch(TARBALL));

const all = readdirSync(apps, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const asked = process.argv.slice(2);
for (const app of asked.length === 0 ? all : asked) lock(app);
rmSync(scratch, { recursive: true });

function lock(app) {
  const folder = path.join(apps, app);
  copyFileSync(path.join(folder, "package.json"), inScratch("package.json"));
  rmSync(inScratch("package-lock.json"), { force: true });
  npm(
    "install",
    "--package-lock-only",
    "--omit-lockfile-registry-resolved",
    "--no-audit",
    "--no-fund",
  );
  const locked = JSON.parse(
    readFileSync(inScratch("package-lock.json"), "utf8"),
  );
  locked.name = app;
  for (const entry of Object.values(locked.packages)) {
    // Each build of this package has its own.
    if (entry.resolved === `file:${TARBALL}`) delete entry.integrity;
  }
  writeFileSync(
    path.join(folder, "package-lock.json"),
    `${JSON.stringify(locked, null, 2)}\n`,
  );
}
