import type { Page } from "playwright-core";
import { describe } from "vitest";
import { SIGHTS } from "../../test/browser/looking.js";
import { button, chat, lane, ONE_DAY_S, section, set } from "./parts.js";
import { openOnClock, test } from "./visitor.js";

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
      // Messages make room for the next one.
      const isChat = entry.sources.every(
        ({ node }) => node?.parentElement?.closest(".chat") != null,
      );
      if (isChat) continue;
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
const SMALLEST_JUMP = 0.004;

const jumps = async (page: Page) =>
  (await page.evaluate(() => window.jumps)).filter(
    ({ value }) => value > SMALLEST_JUMP,
  );

// Colours move nothing.
describe.for(["light-wide", "light-narrow"] as const)("%s", (sight) => {
  test("the layout does not jump on load, on a denial or on a wrong setting", async ({
    visit,
    expect,
  }) => {
    const { context, openTab, problems } = await visit(SIGHTS[sight]);
    await context.addInitScript(watchJumps);
    const page = await openTab();
    for (const left of ["2 messages", "1 message", "0 messages"]) {
      await button(chat(page), "Send").click();
      await chat(page).getByText(`${left} left`).waitFor();
    }
    expect(await jumps(page)).toEqual([]);
    const { answer } = lane(page, "Fixed window");
    await set(page, { Period: ONE_DAY_S });
    // The settings have unfolded and moved the page below them.
    await page.evaluate(() => (window.jumps = []));
    for (const said of ["Granted", "Granted", "Denied", "Denied"]) {
      await button(page, "Take 5").click();
      await expect.poll(() => answer.textContent()).toContain(said);
    }
    await set(page, { Rate: "none" });
    await page.getByText("The rate is not a number.").waitFor();
    const holds = section(page, "Hold the most, pay the cost");
    for (let i = 0; i < 4; i++) await button(holds, "Ask and crash").click();
    await holds.getByText("Denied").waitFor();
    expect(await jumps(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test("an idle page changes nothing until something is taken", async ({
  visit,
  expect,
}) => {
  const page = await openOnClock(await visit());
  // The frames that draw the last answers.
  await page.clock.runFor(1000);
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
  // Any longer, and the client would miss the server's pings, which follow the real clock.
  await page.clock.runFor(10_000);
  expect(await changes.jsonValue()).toEqual([]);
  await button(page, "Take 5").click();
  await lane(page, "Token bucket").answer.getByText("Granted").waitFor();
  const before = (await changes.jsonValue()).length;
  await page.clock.runFor(1000);
  await expect
    .poll(async () => (await changes.jsonValue()).length)
    .toBeGreaterThan(before);
});
