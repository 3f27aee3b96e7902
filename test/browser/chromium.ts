import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** With which it is started. */
export const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/**
 * Where Chromium is: what `CHROMIUM` says, else the first on the `PATH`, else nowhere.
 *
 * @throws If `CHROMIUM` leads to nothing that can be run.
 */
export function findChromium(
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const chosen = env["CHROMIUM"];
  if (chosen !== undefined && chosen !== "") {
    if (!canRun(chosen)) throw new Error(`CHROMIUM is ${chosen}: no program.`);
    return chosen;
  }
  const folders = (env["PATH"] ?? "").split(delimiter);
  return folders
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find(canRun);
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
