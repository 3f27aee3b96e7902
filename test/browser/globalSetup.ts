import type { TestProject } from "vitest/node";
import { findChromium } from "./chromium.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** The path of the browser. Without it the tests are skipped. */
    chromium: string | undefined;
  }
}

/** Looks for Chromium once, and warns if there is none. In CI it throws. */
export default function setup(project: TestProject): void {
  const chromium = findChromium();
  project.provide("chromium", chromium);
  if (chromium !== undefined) return;
  const message =
    "There is no Chromium, which the browser tests drive. Install it (apt-get install chromium), or set CHROMIUM to its path.";
  const { CI } = process.env;
  if (CI !== undefined && CI !== "" && CI !== "false") throw new Error(message);
  console.warn(`\n${message}\nEvery browser test is skipped.\n`);
}
