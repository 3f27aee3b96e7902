import type { Page } from "playwright-core";
import { expect } from "vitest";
import { button, section } from "./playground.js";
import { test } from "./visitor.js";

/** The sum under the bars: what was granted and what is left make up the capacity. */
async function sum(page: Page): Promise<Record<string, number>> {
  const terms = section(page, "Many rows, one limit").locator("dl > div");
  const texts = await terms.evaluateAll((elements) =>
    elements.map((element) => [
      element.querySelector("dt")?.textContent ?? "",
      Number(element.querySelector("dd")?.textContent),
    ]),
  );
  return Object.fromEntries(texts) as Record<string, number>;
}

test("whatever the number of shards, bursts of 50 lose no token and mint none", async ({
  page,
}) => {
  const place = section(page, "Many rows, one limit");
  for (const shards of ["1", "7", "50"]) {
    await place
      .getByRole("radio", { name: shards, exact: true })
      .check({ force: true });
    await expect
      .poll(() => sum(page))
      .toEqual({ granted: 0, left: 100, capacity: 100, denied: 0 });
    for (const expected of [
      { granted: 50, left: 50, capacity: 100, denied: 0 },
      { granted: 100, left: 0, capacity: 100, denied: 0 },
      { granted: 100, left: 0, capacity: 100, denied: 50 },
    ]) {
      await button(place, "Burst of 50 at once").click();
      await expect.poll(() => sum(page)).toEqual(expected);
    }
  }
});
