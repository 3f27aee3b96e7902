import type { Page } from "playwright-core";
import { describe } from "vitest";
import { button } from "./parts.js";
import { test, type Visit } from "./visitor.js";

const open = async (visit: Visit, width: number): Promise<Page> =>
  (await visit({ viewport: { width, height: 844 }, hasTouch: true })).openTab();

describe.for([360, 768])("on a screen %d px wide", (width) => {
  test("every button is within the screen, those of jobs too", async ({
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

  test("the navigation marks the section that is read, and shows the mark", async ({
    visit,
    expect,
  }) => {
    const page = await open(visit, width);
    const nav = page.getByRole("navigation", { name: "Sections" });
    const links = await nav.getByRole("link").all();
    expect(links.length).toBeGreaterThanOrEqual(6);
    for (const link of links) {
      await link.tap();
      await expect
        .poll(() => nav.locator("[aria-current]").allTextContents())
        .toEqual([await link.textContent()]);
      await expect
        .poll(async () => {
          const { x, width: length } = (await link.boundingBox())!;
          return x >= 0 && x + length <= width;
        })
        .toBe(true);
    }
  });
});
