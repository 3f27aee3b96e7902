import type { Page } from "playwright-core";
import { describe, expect } from "vitest";
import { button, lane, ONE_DAY_S, set } from "./playground.js";
import { SIGHTS } from "./sights.js";
import { test } from "./visitor.js";

declare global {
  interface Window {
    /** Each jump of the layout so far: how far, and what jumped. */
    jumps: { value: number; what: string[] }[];
  }
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  sources: { node: Node | null }[];
}

/** Notes every jump from the first paint on, also those that follow a click. */
function watchJumps(): void {
  window.jumps = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[]) {
      const what = entry.sources.map(({ node }) =>
        node instanceof Element
          ? node.outerHTML.slice(0, 80)
          : String(node?.textContent),
      );
      window.jumps.push({ value: entry.value, what });
    }
  });
  observer.observe({ type: "layout-shift", buffered: true });
}

/** Smaller ones are digits that change their width. */
const SMALLEST_JUMP = 0.002;

const jumps = async (page: Page) =>
  (await page.evaluate(() => window.jumps)).filter(
    ({ value }) => value > SMALLEST_JUMP,
  );

// Colours move nothing.
describe.for(["light and wide", "light and narrow"] as const)("%s", (sight) => {
  test("nothing jumps while the page loads, takes are denied and settings are wrong", async ({
    visit,
  }) => {
    const { context, openTab, problems } = await visit(SIGHTS[sight]);
    await context.addInitScript(watchJumps);
    const page = await openTab();
    const { outcome } = lane(page, "Fixed window");
    await set(page, { Period: ONE_DAY_S });
    for (const answer of ["Granted", "Granted", "Denied", "Denied"]) {
      await button(page, "Take 5").click();
      await expect.poll(() => outcome.textContent()).toContain(answer);
    }
    await page.getByLabel("Count").fill("20");
    await button(page, "Take").click();
    await expect.poll(() => outcome.textContent()).toContain("Never granted");
    await set(page, { Rate: "none", Period: "", Shards: "2.5" });
    await page.getByText("Whole, 1 to 50").waitFor();
    expect(await jumps(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test("a page that rests draws nothing and moves nothing, until something is taken", async ({
  visit,
}) => {
  const { context, openTab } = await visit();
  await context.clock.install();
  const page = await openTab();
  // The server is asked for its time in the first seconds, and answers in order: when this
  // answer is there the others are too.
  await page.clock.runFor(5000);
  await button(page, "Check").click();
  await lane(page, "Fixed window").card.getByText("Would grant").waitFor();
  const changes = await page.evaluateHandle(() => {
    const seen: string[] = [];
    new MutationObserver((mutations) => {
      for (const { target } of mutations) seen.push(target.nodeName);
    }).observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    });
    return seen;
  });
  // Not so long that the client would miss the server's pings, which come by the real clock.
  await page.clock.runFor(20_000);
  expect(await changes.jsonValue()).toEqual([]);
  await button(page, "Take 5").click();
  await lane(page, "Token bucket").card.getByText("Granted 5").waitFor();
  const before = (await changes.jsonValue()).length;
  await page.clock.runFor(1000);
  expect((await changes.jsonValue()).length).toBeGreaterThan(before);
});
