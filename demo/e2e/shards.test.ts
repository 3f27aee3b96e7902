import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { button, section } from "./playground.js";
import { test } from "./visitor.js";

const TITLE = "Many rows, one limit";

/** The sum under the bars: what was granted and what is left make up the capacity. */
async function sum(page: Page): Promise<Record<string, number>> {
  const terms = section(page, TITLE).locator("dl > div");
  const texts = await terms.evaluateAll((elements) =>
    elements.map((element) => [
      element.querySelector("dt")?.textContent ?? "",
      Number(element.querySelector("dd")?.textContent),
    ]),
  );
  return Object.fromEntries(texts) as Record<string, number>;
}

/** Chooses one of the ways to store the limit. */
const choose = (place: Locator, name: string) =>
  place.getByRole("radio", { name, exact: true }).check({ force: true });

/** What two bursts of 50 leave of a hundred tokens, and a third that finds none. */
const BURSTS = [
  { granted: 50, left: 50, capacity: 100, denied: 0 },
  { granted: 100, left: 0, capacity: 100, denied: 0 },
  { granted: 100, left: 0, capacity: 100, denied: 50 },
];

test("whatever the number of shards, bursts of 50 lose no token and mint none", async ({
  page,
}) => {
  const place = section(page, TITLE);
  for (const shards of ["One row", "7", "50"]) {
    if (shards === "7") await choose(place, "Sharded");
    await choose(place, shards);
    await expect
      .poll(() => sum(page))
      .toEqual({ granted: 0, left: 100, capacity: 100, denied: 0 });
    for (const expected of BURSTS) {
      await button(place, "Burst of 50").click();
      await expect.poll(() => sum(page)).toEqual(expected);
    }
  }
});

/** Of a hundred grants so few schedule no housekeeping that three hundred are enough. */
const ATTEMPTS = 3;

test("asynchronously too; a record is appended for each grant, and those that no call needs go", async ({
  page,
}) => {
  const place = section(page, TITLE);
  await choose(place, "Asynchronous");
  const shown = await watchLeft(page);
  const records = async () => (await sum(page))["records"]!;
  for (let attempt = 0; ; attempt++) {
    for (const expected of BURSTS) {
      await button(place, "Burst of 50").click();
      await expect.poll(() => sum(page)).toMatchObject(expected);
      expect(await records()).toBeGreaterThanOrEqual(1);
      expect(await records()).toBeLessThanOrEqual(expected.granted);
    }
    const left = (await shown()).slice();
    expect(left).toEqual([...left].sort((a, b) => b - a));
    expect(left.at(-1)).toBe(0);
    const fewer = expect.poll(records, { timeout: 10_000 }).toBeLessThan(50);
    if (attempt + 1 === ATTEMPTS) await fewer;
    else if (await fewer.then(() => true).catch(() => false)) break;
    await button(place, "Start over").click();
  }
  // The balance is what it was, whatever has gone.
  expect(await sum(page)).toMatchObject(BURSTS.at(-1)!);
});

/** Notes in the page what is shown as left, from now on. */
async function watchLeft(page: Page): Promise<() => Promise<number[]>> {
  const left = await section(page, TITLE)
    .locator("dl")
    .evaluateHandle((dl) => {
      const noted: number[] = [];
      const look = () => {
        const terms = [...dl.children];
        const term = terms.find(
          (child) => child.querySelector("dt")?.textContent === "left",
        );
        noted.push(Number(term?.querySelector("dd")?.textContent));
      };
      look();
      new MutationObserver(look).observe(dl, {
        subtree: true,
        childList: true,
        characterData: true,
      });
      return noted;
    });
  return () => left.jsonValue();
}
