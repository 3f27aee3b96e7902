import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AxeResults, Result } from "axe-core";
import type { Page } from "playwright-core";
import { describe } from "vitest";
import { button, lane } from "./parts.js";
import { sights, SIGHTS } from "./sights.js";
import { useEverything } from "./usedPage.js";
import { test, testAlone } from "./visitor.js";

const PICTURES = fileURLToPath(new URL("../../screenshots/", import.meta.url));
const axeSource = readFile(
  new URL("../../node_modules/axe-core/axe.min.js", import.meta.url),
  "utf8",
);

declare global {
  interface Window {
    axe: { run(): Promise<AxeResults> };
  }
}

async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(await axeSource);
  const { violations } = await page.evaluate(() => window.axe.run());
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(describeViolation);
}

function describeViolation({ id, impact, nodes }: Result): string {
  const places = nodes.map(
    ({ html, failureSummary }) => `${html}\n${failureSummary}`,
  );
  return `${impact} ${id}:\n${places.join("\n")}`;
}

/** How far the page is wider than the window. */
const overhang = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      document.documentElement.scrollWidth -
      document.documentElement.clientWidth,
  );

// Pictures of several pages wait for each other.
describe.for(sights)("%s", (sight) => {
  testAlone(
    "a page in use has no serious fault that axe finds, and fits its width",
    async ({ visit, expect }) => {
      const { openTab, problems } = await visit({
        ...SIGHTS[sight],
        // A button that changes its colours has neither pair of them.
        reducedMotion: "reduce",
      });
      const page = await openTab();
      expect(await overhang(page)).toBe(0);
      await useEverything(page);
      const picture = `${PICTURES}${sight.replaceAll(" and ", "-")}.png`;
      await page.screenshot({ path: picture, fullPage: true });
      expect(await seriousViolations(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      expect(problems).toEqual([]);
    },
  );
});

test("the theme that was chosen stays after a reload", async ({
  visit,
  expect,
}) => {
  const { openTab } = await visit({ colorScheme: "light" });
  const page = await openTab();
  const background = () =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await button(page, "Use the dark theme").click();
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  await page.reload();
  expect(await background()).toBe(dark);
});

describe("motion", () => {
  test.for([
    {
      reducedMotion: "reduce",
      scrolling: "auto",
      duration: "0s",
      frameMs: 1000,
    },
    {
      reducedMotion: "no-preference",
      scrolling: "smooth",
      duration: "0.12s",
      frameMs: 100,
    },
  ] as const)(
    "$reducedMotion: the page scrolls $scrolling, buttons change colour in $duration, charts move about every $frameMs ms",
    async (
      { reducedMotion, scrolling, duration, frameMs },
      { visit, expect },
    ) => {
      const page = await (await visit({ reducedMotion })).openTab();
      const styles = await button(page, "Take 1").evaluate((element) => [
        getComputedStyle(document.documentElement).scrollBehavior,
        getComputedStyle(element).transitionDuration,
      ]);
      expect(styles).toEqual([scrolling, duration]);
      await button(page, "Take 5").click();
      await lane(page, "Token bucket").card.getByText("Granted").waitFor();
      const isCalm = (await chartFrameMs(page)) > 600;
      expect(isCalm).toBe(frameMs === 1000);
    },
  );
});

/** How often the first chart is drawn while nothing but time passes, on average. */
const chartFrameMs = (page: Page): Promise<number> =>
  page
    .locator(".time-chart svg")
    .first()
    .evaluate(
      (chart) =>
        new Promise<number>((resolve) => {
          const drawnAt: number[] = [];
          const observer = new MutationObserver(() => {
            drawnAt.push(performance.now());
            if (drawnAt.length < 6) return;
            observer.disconnect();
            resolve((drawnAt.at(-1)! - drawnAt[0]!) / (drawnAt.length - 1));
          });
          observer.observe(chart, {
            subtree: true,
            attributes: true,
            childList: true,
          });
        }),
    );
