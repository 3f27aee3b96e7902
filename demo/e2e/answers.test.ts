import type { Page } from "playwright-core";
import { expect } from "vitest";
import { button, section } from "./playground.js";
import { test } from "./visitor.js";

const answersOf = (page: Page) =>
  section(page, "Hold the most, settle the cost");

/** What the page says of the day's tokens: `700 of 1,000 tokens, 300 held`. */
const tokens = (page: Page) =>
  answersOf(page).getByRole("meter").getAttribute("aria-valuetext");

test("what is held comes back when an answer costs less, or fails, and stays taken if nobody settles", async ({
  page,
}) => {
  const answers = answersOf(page);
  const card = (label: string) =>
    answers.getByRole("listitem").filter({ hasText: label });
  await button(answers, "Ask").click();
  await button(answers, "Fail Answer 1").click();
  await card("Answer 1").getByText("All 300 came back.").waitFor();
  await expect.poll(() => tokens(page)).toBe("1,000 of 1,000 tokens");

  await button(answers, "Ask and crash").click();
  await expect.poll(() => tokens(page)).toBe("700 of 1,000 tokens, 300 held");
  await button(answers, "Ask").click();
  const cost = card("Answer 3").getByText(/^Cost \d+\. \d+ came back\.$/);
  const [used, back] = (await cost.textContent())!.match(/\d+/g)!.map(Number);
  expect(used! + back!).toBe(300);
  await card("Answer 2").getByText("All 300 stay taken.").waitFor();
  await expect.poll(() => tokens(page)).toBe(`${700 - used!} of 1,000 tokens`);
});

test("an answer is refused when fewer tokens are left than it may cost", async ({
  page,
}) => {
  const answers = answersOf(page);
  for (let i = 0; i < 3; i++) await button(answers, "Ask and crash").click();
  await button(answers, "Ask").click();
  await answers.getByText(/^Refused: fewer than 300 left\. More in /).waitFor();
  await button(answers, "Start over").click();
  await expect.poll(() => tokens(page)).toBe("1,000 of 1,000 tokens");
  expect(await answers.getByText("No answer").count()).toBe(3);
});
