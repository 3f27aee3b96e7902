import type { Locator, Page } from "playwright-core";

/** A part of the page, by its title. */
export const section = (page: Page, title: string): Locator =>
  page.getByRole("region", { name: title, exact: true });

export const button = (place: Page | Locator, name: string): Locator =>
  place.getByRole("button", { name, exact: true });

export type LaneTitle = "Token bucket" | "Fixed window";

/** What the page says of one of the two limits. */
export function lane(page: Page, title: LaneTitle) {
  const card = page.getByRole("article", { name: title });
  return {
    card,
    /** What came of the last call. */
    outcome: card.getByRole("status"),
    countdown: card.getByRole("timer"),
    /** Its tokens, as the meter says them: `5 of 10 tokens`. */
    balance: () => card.getByRole("meter").getAttribute("aria-valuetext"),
  };
}

/** Types settings, which act at once. Where they are folded away they are unfolded first. */
export async function set(
  page: Page,
  settings: Record<string, number | string>,
): Promise<void> {
  const form = page.getByRole("form", { name: "Settings of both limits" });
  const fold = form.getByRole("button", { name: /^Settings/ });
  if ((await fold.isVisible()) && !(await form.getByLabel("Rate").isVisible()))
    await fold.click();
  for (const [label, value] of Object.entries(settings)) {
    await form.getByLabel(label, { exact: true }).fill(String(value));
  }
}

/** A day: too long for anything to come in during a test. */
export const ONE_DAY_S = 86_400;
