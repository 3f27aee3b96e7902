// Prints what is to be released: NAME=… and VERSION=…. Fails if RELEASING.md asks for more first.
import { readFileSync } from "node:fs";

const read = (file) =>
  readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const { name, version, repository } = JSON.parse(read("package.json"));

const missing = [
  !read("CHANGELOG.md").split("\n").includes(`## ${version}`) &&
    `CHANGELOG.md has no heading "${version}"`,
  repository === undefined &&
    "package.json has no repository, which provenance needs",
].filter(Boolean);

for (const what of missing) console.error(what);
if (missing.length > 0) process.exit(1);
console.log(`NAME=${name}\nVERSION=${version}`);
