import type { Locator, Page } from "playwright-core";
import { describe } from "vitest";
import {
  overhang,
  pictureOf,
  SIGHTS,
  violations,
} from "../../test/browser/looking.js";
import { button, lane, section } from "./parts.js";
import { useEverything } from "./usedPage.js";
import { test, testAlone } from "./visitor.js";

// Alone, since screenshots of several pages wait for each other.
describe.for(Object.entries(SIGHTS))("%s", ([sight, options]) => {
  testAlone(
    "a page in use fits its width and passes axe",
    async ({ visit, expect }) => {
      const { openTab, problems } = await visit({
        ...options,
        // While a button fades, axe would measure colours between its two states.
        reducedMotion: "reduce",
      });
      const page = await openTab();
      expect(await overhang(page)).toBe(0);
      await useEverything(page);
      await page.screenshot({ path: pictureOf(sight), fullPage: true });
      expect(await violations(page, options)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      expect(problems).toEqual([]);
    },
  );
});

test("in forced colours, meters, held tokens and choices can be seen", async ({
  visit,
  expect,
}) => {
  const { openTab } = await visit({ forcedColors: "active" });
  const page = await openTab();
  const holds = section(page, "Hold the most, pay the cost");
  await button(holds, "Ask and crash").click();
  const held = holds.locator(".meter .held");
  await held.waitFor();
  const look = (place: Locator) =>
    place.evaluate((element) => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      return `${backgroundColor} ${backgroundImage}`;
    });
  const meter = holds.getByRole("meter");
  const looks = await Promise.all(
    [meter, meter.locator("div").first(), held].map(look),
  );
  expect(new Set(looks).size).toBe(3);
  const chosen = holds.locator(".segmented input:checked + span");
  const other = holds.locator(".segmented input:not(:checked) + span");
  expect(await look(chosen)).not.toBe(await look(other));
  await page.screenshot({ path: pictureOf("forced"), fullPage: true });
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
    "$reducedMotion: scrolling is $scrolling, buttons fade in $duration, charts move every $frameMs ms",
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
      await lane(page, "Token bucket").answer.getByText("Granted").waitFor();
      const isCalm = (await chartFrameMs(page)) > 600;
      expect(isCalm).toBe(frameMs === 1000);
    },
  );
});

/** How often the first chart is drawn while nothing but time passes, on average. */
const chartFrameMs = (page: Page): Promise<number> =>
  page
    .locator(".time-chart")
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
          observer.observe(chart, { childList: true });
        }),
    );
