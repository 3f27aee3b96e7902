import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Chromium's arguments. */
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
 * The path of Chromium: `CHROMIUM`, else the first on the `PATH`, else undefined.
 *
 * @throws If `CHROMIUM` is no executable file.
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
