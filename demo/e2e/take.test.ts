import type { Page } from "playwright-core";
import { expect } from "vitest";
import { button, lane, set } from "./playground.js";
import { test } from "./visitor.js";

/** Takes all there is, and asks for as much again. It comes within four seconds. */
async function takeUntilDenied(page: Page): Promise<void> {
  const { outcome, balance } = lane(page, "Token bucket");
  await set(page, { Rate: 2, Period: 4 });
  await page.getByLabel("Count").fill("2");
  await expect.poll(balance).toBe("2 of 2 tokens");
  await button(page, "Take").click();
  await expect.poll(() => outcome.textContent()).toBe("Granted 2 tokens.");
  await button(page, "Take").click();
  await expect.poll(() => outcome.textContent()).toBe("Denied 2 tokens.");
}

test("a denied take counts down, and is granted when the count ends", async ({
  page,
}) => {
  await takeUntilDenied(page);
  const { outcome, countdown } = lane(page, "Token bucket");
  const left = async () =>
    Number.parseFloat((await countdown.textContent()) ?? "");
  const first = await left();
  expect(first).toBeLessThanOrEqual(4);
  await expect.poll(left).toBeLessThan(first);
  await expect.poll(() => countdown.textContent()).toBe("now");
  await button(page, "Take").click();
  await expect.poll(() => outcome.textContent()).toBe("Granted 2 tokens.");
});

test("with Auto-retry the page asks again by itself, when it was told to", async ({
  page,
}) => {
  await page.getByRole("checkbox", { name: "Auto-retry" }).check();
  await takeUntilDenied(page);
  for (const title of ["Token bucket", "Fixed window"] as const) {
    const { outcome } = lane(page, title);
    await expect.poll(() => outcome.textContent()).toBe("Granted 2 tokens.");
  }
});
