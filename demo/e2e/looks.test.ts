import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { AxeResults, Result } from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { button, lane } from "./playground.js";
import { sights, SIGHTS } from "./sights.js";
import { useEverything } from "./usedPage.js";
import { test } from "./visitor.js";

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
  // A button that changes its colours has neither pair of them.
  await page.evaluate(() =>
    Promise.allSettled(
      document.getAnimations().map(({ finished }) => finished),
    ),
  );
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

/** Two pictures: what one sees first, and everything. */
async function takePictures(page: Page, sight: string): Promise<void> {
  const name = sight.replaceAll(" and ", "-");
  const viewport = page.viewportSize()!;
  await page.mouse.move(0, 0);
  await page.evaluate(() => {
    scrollTo({ top: 0, behavior: "instant" });
    for (const table of document.querySelectorAll(".table-place")) {
      table.scrollLeft = 0;
    }
  });
  await page.screenshot({ path: `${PICTURES}${name}-top.png` });
  // A window as high as the page: charts out of sight are not drawn.
  const height = await page.evaluate(
    () => document.documentElement.scrollHeight,
  );
  await page.setViewportSize({ ...viewport, height });
  // And they are drawn a few times after they have come into sight.
  await chartFrameMs(page);
  await page.screenshot({ path: `${PICTURES}${name}.png` });
  await page.setViewportSize(viewport);
}

describe.for(sights)("%s", (sight) => {
  test("a page in use has no serious fault that axe finds, and fits its width", async ({
    visit,
  }) => {
    const { openTab, problems } = await visit(SIGHTS[sight]);
    const page = await openTab();
    expect(await seriousViolations(page)).toEqual([]);
    expect(await overhang(page)).toBe(0);
    await useEverything(page);
    await takePictures(page, sight);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await overhang(page)).toBe(0);
    expect(problems).toEqual([]);
  });
});

test("the theme that was chosen stays after a reload", async ({ visit }) => {
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
    async ({ reducedMotion, scrolling, duration, frameMs }, { visit }) => {
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
    .locator(".chart svg")
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
