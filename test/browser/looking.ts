import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";

/** The screens and colour schemes in which pages are tested. */
export const SIGHTS = {
  "light-wide": {
    colorScheme: "light",
    viewport: { width: 1280, height: 860 },
  },
  "dark-wide": { colorScheme: "dark", viewport: { width: 1280, height: 860 } },
  "light-narrow": {
    colorScheme: "light",
    viewport: { width: 360, height: 740 },
  },
  "dark-narrow": { colorScheme: "dark", viewport: { width: 360, height: 740 } },
} satisfies Record<string, BrowserContextOptions>;

/** The path of a screenshot. */
export const pictureOf = (name: string): string =>
  fileURLToPath(new URL(`../../screenshots/${name}.png`, import.meta.url));

const axeSource = readFile(
  new URL("../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

/**
 * What axe finds wrong with a page, even if its policy allows no other script. Skips the elements of
 * `without`. In the dark it checks only colours, since nothing else differs.
 */
export async function violations(
  page: Page,
  {
    colorScheme,
    without = [],
  }: Pick<BrowserContextOptions, "colorScheme"> & { without?: string[] } = {},
): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await session.send(
      "Runtime.evaluate",
      { expression, awaitPromise: true, returnByValue: true },
    );
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return result.value as T;
  };
  await evaluate(`${await axeSource}; 0`);
  const runOnly = colorScheme === "dark" ? ["color-contrast"] : undefined;
  const options: RunOptions = { runOnly, resultTypes: ["violations"] };
  const found = await evaluate<AxeResults["violations"]>(
    `window.axe.run(${JSON.stringify({ exclude: without })}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`,
  );
}

/** By how many px a page is wider than the window. */
export const overhang = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      document.documentElement.scrollWidth -
      document.documentElement.clientWidth,
  );
