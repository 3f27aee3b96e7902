import { expect } from "vitest";
import { button, lane, set } from "./playground.js";
import { sights, SIGHTS } from "./sights.js";
import { useEverything } from "./usedPage.js";
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

test.for(sights)(
  "%s: nothing jumps while the page loads and is used",
  async (sight, { visit }) => {
    const { context, openTab, problems } = await visit(SIGHTS[sight]);
    await context.addInitScript(watchJumps);
    const page = await openTab();
    await useEverything(page);
    expect(await page.evaluate(() => window.jumps)).toEqual([]);
    expect(problems).toEqual([]);
  },
);

test("nothing jumps when a take is denied or a setting is wrong", async ({
  visit,
}) => {
  const { context, openTab } = await visit();
  await context.addInitScript(watchJumps);
  const page = await openTab();
  const { outcome } = lane(page, "Fixed window");
  for (const answer of ["Granted", "Granted", "Denied", "Denied"]) {
    await button(page, "Take 5").click();
    await expect.poll(() => outcome.textContent()).toContain(answer);
  }
  await set(page, { Rate: "none", Period: "", Shards: "half" });
  await page.getByText("Whole, 1 to 50").waitFor();
  expect(await page.evaluate(() => window.jumps)).toEqual([]);
});
