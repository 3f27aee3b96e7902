import type { Locator, Page } from "playwright-core";
import { describe, expect } from "vitest";
import { button, lane, set } from "./playground.js";
import { test } from "./visitor.js";

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Whether all of it can be seen without scrolling. */
const isInSight = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return (
      top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
    );
  });

const rate = (page: Page) => page.getByLabel("Rate", { exact: true });

describe("the page says at once", () => {
  test("what it is about, how to install it and where to read on", async ({
    visit,
  }) => {
    const { context, openTab } = await visit({ viewport: WIDE });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const page = await openTab();
    const title = page.getByRole("heading", { level: 1 });
    expect(await title.textContent()).toBe("Rate limiting for Convex apps");
    await button(page, "Copy the install command").click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      "npm install convex-rate-limiter",
    );
  });

  test.for([
    ["Read the docs", "convex-rate-limiter"],
    ["Changelog", "Changelog"],
  ] as const)("%s leads to a text with %j", async ([link, text], { page }) => {
    await page.getByRole("link", { name: link, exact: true }).first().click();
    await page.getByRole("main").getByText(text).first().waitFor();
  });
});

describe("the default action", () => {
  test("is granted, and the code for it needs no warning", async ({ page }) => {
    const warning = page.getByRole("article", { name: "Your code" });
    await button(page, "Take").click();
    for (const title of ["Token bucket", "Fixed window"] as const) {
      const { outcome } = lane(page, title);
      await expect.poll(() => outcome.textContent()).toBe("Granted 3 tokens.");
    }
    expect(await warning.textContent()).not.toContain("throws");
  });

  test("when it can never work the code says so", async ({ page }) => {
    const code = page.getByRole("article", { name: "Your code" });
    const impossible = code.getByText(
      "This call always throws: it asks for 3 tokens, and 2 is the most there can be.",
    );
    await set(page, { Capacity: 2 });
    await impossible.waitFor();
    await button(page, "Take").click();
    const { outcome } = lane(page, "Token bucket");
    await expect
      .poll(() => outcome.textContent())
      .toBe("Never granted: 2 is the most.");
    await page.getByLabel("Count").fill("2");
    await impossible.waitFor({ state: "hidden" });
  });
});

describe.for([
  ["wide", WIDE],
  ["phone", PHONE],
] as const)("on a %s screen", ([, viewport]) => {
  test("a click and its answer are in sight together, without scrolling", async ({
    visit,
  }) => {
    const page = await (await visit({ viewport })).openTab();
    const { outcome, countdown, card } = lane(page, "Token bucket");
    // Nothing that is taken can come in again before the third time.
    for (const answer of ["Granted", "Granted", "Denied"]) {
      expect(await isInSight(button(page, "Take 5"))).toBe(true);
      await button(page, "Take 5").click();
      await expect.poll(() => outcome.textContent()).toContain(answer);
      expect(await isInSight(outcome)).toBe(true);
    }
    expect(await isInSight(countdown)).toBe(true);
    const [said, balance] = await Promise.all([
      outcome.boundingBox(),
      card
        .getByText(/of 10 tokens$/)
        .first()
        .boundingBox(),
    ]);
    // Side by side.
    expect(said!.y).toBeLessThan(balance!.y + balance!.height);
    expect(said!.y + said!.height).toBeGreaterThan(balance!.y);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });

  test("the settings are above or beside what they change", async ({
    visit,
  }) => {
    const page = await (await visit({ viewport })).openTab();
    await set(page, { Rate: 7 });
    const { card } = lane(page, "Token bucket");
    const [field, changed] = await Promise.all([
      rate(page).boundingBox(),
      card.boundingBox(),
    ]);
    expect(field!.y).toBeLessThan(changed!.y + changed!.height);
  });
});
