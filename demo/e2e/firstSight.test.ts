import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { describe } from "vitest";
import { root } from "../../test/support/root.js";
import { button, chat } from "./parts.js";
import { test } from "./visitor.js";

/** Whether an element is in sight as a whole without scrolling. */
const isInSight = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return (
      top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
    );
  });

describe.for([
  ["wide", { width: 1440, height: 900 }],
  ["phone", { width: 390, height: 844 }],
] as const)("on a %s screen", ([, viewport]) => {
  test("three clicks on the only primary button use up the limit, without scrolling", async ({
    visit,
    expect,
  }) => {
    const page = await (await visit({ viewport })).openTab();
    const place = chat(page);
    const send = place.locator("button.primary");
    const primary = await page.locator("main .primary").all();
    const inSight = await Promise.all(primary.map(isInSight));
    expect(inSight.filter(Boolean)).toEqual([true]);
    for (const left of ["2 messages", "1 message", "0 messages"]) {
      expect(await send.textContent()).toBe("Send");
      await send.click();
      await place.getByText(`${left} left`).waitFor();
    }
    await expect.poll(() => send.textContent()).toMatch(/^Wait [1-6] s$/);
    // The button is disabled before the server has to deny.
    const isDisabled = await send.evaluate((element: HTMLElement) => {
      element.click();
      return element.ariaDisabled;
    });
    expect(isDisabled).toBe("true");
    expect(await place.getByRole("listitem").count()).toBe(3);
    const cutOff = await place
      .locator(".talk, .talk ol")
      .evaluateAll((all) =>
        all.map((box) => box.scrollHeight - box.clientHeight),
      );
    expect(cutOff).toEqual([0, 0]);
    expect(await isInSight(place.getByText("Send me three messages"))).toBe(
      true,
    );
    expect(await isInSight(send)).toBe(true);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    // The page's estimate of the server's clock is off by up to half a round trip: it may be denied once more.
    await expect
      .poll(async () => {
        await send.click();
        return place.getByRole("listitem").count();
      })
      .toBeGreaterThan(3);
  });
});

test("the install command can be copied", async ({ visit, expect }) => {
  const { context, openTab } = await visit();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await openTab();
  await button(page, "Copy the install command").click();
  await page.getByText("Copied", { exact: true }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^npm install \S+$/);
  expect(readFileSync(`${root}README.md`, "utf8")).toContain(`\n${copied}\n`);
});

test.for([
  ["Read the docs", "Getting started"],
  ["Changelog", "Changelog"],
] as const)("%s leads to a text with %j", async ([link, text], { visit }) => {
  const page = await (await visit()).openTab();
  await page.getByRole("link", { name: link, exact: true }).first().click();
  // The site's server starts at the first request.
  const told = page.getByRole("main").getByText(text).first();
  await told.waitFor({ timeout: 45_000 });
});

test("every section has code beside it", async ({ page, expect }) => {
  const sections = await page.locator("section[id]").all();
  expect(sections.length).toBe(5);
  for (const section of sections) {
    const code = section.locator("pre code");
    expect(await code.textContent()).toMatch(/[rR]ateLimiter/);
  }
});
