import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The version of everything that is measured. */
export async function versionsOf(
  url: string | undefined,
): Promise<Record<string, string>> {
  const backend =
    url === undefined
      ? "the embedded server, no deployment"
      : await (await fetch(`${url}/version`)).text();
  return {
    "convex-rate-limiter": `${versionOf("")}, ${commit()}`,
    "@convex-dev/rate-limiter": versionOf(
      "node_modules/@convex-dev/rate-limiter/",
    ),
    convex: versionOf("node_modules/convex/"),
    // What the backend says of itself. One that was built from source says "unknown".
    backend,
    node: process.version,
    machine: `${os.cpus().length} x ${os.cpus()[0]?.model ?? "unknown"}, ${os.type()}`,
    date: new Date().toISOString().slice(0, 10),
  };
}

function versionOf(folder: string): string {
  const text = readFileSync(`${ROOT}${folder}package.json`, "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

/** The commit, and whether files differ from it. Nothing outside of a clone. */
function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
  try {
    const changes = git("status", "--porcelain") === "" ? "" : " with changes";
    return `commit ${git("rev-parse", "--short", "HEAD")}${changes}`;
  } catch {
    return "not in a clone";
  }
}
