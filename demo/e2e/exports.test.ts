import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { button, section } from "./playground.js";
import { test } from "./visitor.js";

const quotasOf = (page: Page) => section(page, "A plan’s quota");

const choose = (place: Locator, name: string) =>
  place.getByRole("radio", { name, exact: true }).check({ force: true });

test("free users leave a part, the job takes what there is, and a denial says when the month begins in the zone", async ({
  page,
}) => {
  const quotas = quotasOf(page);
  const left = () => quotas.getByRole("meter").getAttribute("aria-valuetext");
  const code = quotas.locator("code");
  await button(quotas, "Job, up to 50").click();
  await quotas.getByText("The job took all 50.").waitFor();
  expect(await code.textContent()).toContain("upTo: true");
  await button(quotas, "Job, up to 50").click();
  await quotas.getByText("The job took 30 of 50.").waitFor();
  await button(quotas, "Free user, 20").click();
  await quotas
    .getByText(
      /^Denied: 20 are for paying users\. Try again on 1 \w+, 00:00 in Berlin\.$/,
    )
    .waitFor();
  await expect.poll(left).toBe("20 of 100 tokens");
  await button(quotas, "Paying user, 20").click();
  await expect.poll(left).toBe("0 of 100 tokens");
  // Each zone has a quota of its own.
  await choose(quotas, "Tokyo");
  await expect.poll(left).toBe("100 of 100 tokens");
});

test("the windows of each zone begin at its midnight, also when the clocks change", async ({
  page,
}) => {
  const quotas = quotasOf(page);
  const windows = (city: string) =>
    quotas.getByRole("listitem", { name: city }).textContent();
  await choose(quotas, "New York");
  await choose(quotas, "Day");
  expect(await windows("Tokyo")).toMatch(/ 00:00 to .* 00:00(24 h)+$/);
  await choose(quotas, "DST");
  await expect.poll(() => windows("New York")).toMatch(/2[35] h/);
  expect(await windows("New York")).toMatch(/ 00:00 to .* 00:00/);
  await choose(quotas, "Week");
  await expect.poll(() => windows("New York")).toMatch(/Sun .* to Sun /);
  expect(await windows("Berlin")).toMatch(/Mon .* to Mon /);
});
