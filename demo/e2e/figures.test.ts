import type { Page } from "playwright-core";
import { button, section } from "./parts.js";
import { test } from "./visitor.js";

const figuresOf = (page: Page) => section(page, "Denials over time");

test("denials are counted for each limit, and the keys behind them are named", async ({
  page,
  expect,
}) => {
  const figures = figuresOf(page);
  const keys = () => figures.locator("ol > li").allTextContents();
  // Five messages at once of three.
  await button(figures, "Let four users send").click();
  await expect.poll(keys).toContain("Hedy2");
  await figures.getByText(/^[\d,]+ denied this hour$/).waitFor();
  await figures
    .getByRole("img", {
      name: /^Calls in each minute of this hour, [\d,]+ of them denied$/,
    })
    .waitFor();
});

test("nobody is shown another visitor's keys", async ({ visit, expect }) => {
  const [one, other] = await Promise.all([
    (await visit()).openTab(),
    (await visit()).openTab(),
  ]);
  await button(figuresOf(one), "Let four users send").click();
  const keys = (page: Page) =>
    figuresOf(page).locator("ol > li").allTextContents();
  await expect.poll(() => keys(one)).toContain("Hedy2");
  await expect
    .poll(() => keys(other))
    .toEqual([expect.stringMatching(/^Other visitors[\d,]+$/)]);
});
