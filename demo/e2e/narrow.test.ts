import type { Page } from "playwright-core";
import { describe } from "vitest";
import { button, section } from "./parts.js";
import { test, type Visit } from "./visitor.js";

const open = async (visit: Visit, width: number): Promise<Page> =>
  (await visit({ viewport: { width, height: 844 }, hasTouch: true })).openTab();

describe.for([360, 768])("on a screen %d px wide", (width) => {
  test("every button is within the screen, also those of jobs", async ({
    visit,
    expect,
  }) => {
    const page = await open(visit, width);
    await button(page, "Reserve 5").tap();
    await button(page, "Cancel Invoice 5").waitFor();
    const buttons = page.locator("button:visible");
    const boxes = await buttons.evaluateAll((elements) =>
      elements.map((element) => {
        const { left, right } = element.getBoundingClientRect();
        return { name: element.ariaLabel ?? element.textContent, left, right };
      }),
    );
    expect(boxes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["Copy the secret", "Cancel Invoice 5"]),
    );
    const outside = boxes.filter(
      ({ left, right }) => left < 0 || right > width,
    );
    expect(outside).toEqual([]);
  });

  test("the name is clear of the edge, and the links to all sections are in sight", async ({
    visit,
    expect,
  }) => {
    const page = await open(visit, width);
    const name = (await page.locator(".wordmark").boundingBox())!;
    expect(name.y).toBeGreaterThanOrEqual(8);
    const nav = page.getByRole("navigation", { name: "Sections" });
    const links = nav.getByRole("link");
    expect(await links.count()).toBe(5);
    const ends = await links.evaluateAll((all) =>
      all.map((link) => link.getBoundingClientRect().right),
    );
    expect(ends.filter((right) => right > width - 16)).toEqual([]);
  });
});

test("on a phone, code is folded until Enter opens it", async ({
  visit,
  expect,
}) => {
  const page = await open(visit, 390);
  const rollout = section(page, "A new limit, for a few users first");
  const code = rollout.getByLabel("convex/operators.ts", { exact: true });
  expect(await code.isVisible()).toBe(false);
  await rollout.getByText("Code", { exact: true }).focus();
  await page.keyboard.press("Enter");
  await code.waitFor();
  expect(await page.locator("pre:visible").count()).toBe(1);
});

test("on a phone, the page is at most five screens long", async ({
  visit,
  expect,
}) => {
  const page = await open(visit, 390);
  const height = () =>
    page.evaluate(() => document.documentElement.scrollHeight);
  expect(await height()).toBeLessThan(5 * 844);
});
