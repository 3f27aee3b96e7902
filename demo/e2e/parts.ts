import type { Locator, Page } from "playwright-core";

/** A part of the page, by its title. */
export const section = (page: Page, title: string): Locator =>
  page.getByRole("region", { name: title, exact: true });

/** The first thing on the page. */
export const chat = (page: Page): Locator =>
  section(page, "A chat with a limit");

export const button = (place: Page | Locator, name: string): Locator =>
  place.getByRole("button", { name, exact: true });

/** The outcome of the last call of a part of the page. */
export const answer = (place: Locator): Locator => place.locator(".answer");

/** A balance as its meter shows it: `5 of 10 tokens`. */
export const balance = (place: Locator) =>
  place.getByRole("meter").getAttribute("aria-valuetext");

/** Chooses an option. */
export const choose = (place: Locator, name: string) =>
  place.locator("label").getByText(name, { exact: true }).click();

type LaneTitle = "Token bucket" | "Fixed window";

/** The part of the page about one of the two limits. */
export function lane(page: Page, title: LaneTitle) {
  const card = page.getByRole("article", { name: title });
  return {
    card,
    answer: answer(card),
    countdown: card.getByRole("timer"),
    balance: () => balance(card),
  };
}

/** Types settings, which act at once. */
export async function set(
  page: Page,
  settings: Record<string, number | string>,
): Promise<void> {
  const form = page.getByRole("form", { name: "Settings of both limits" });
  if (!(await form.isVisible()))
    await page.locator(".settings summary").click();
  for (const [label, value] of Object.entries(settings)) {
    await form.getByLabel(label, { exact: true }).fill(String(value));
  }
}

/** A day: too long for a token to arrive during a test. */
export const ONE_DAY_S = 86_400;
