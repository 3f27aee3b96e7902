import type { Page } from "playwright-core";

/** More stops than any page has. */
export const MOST_STOPS = 120;

export type Stop = { name: string; hasOutline: boolean; isInSight: boolean };

/** The element with the focus, and whether that can be seen. */
export const focused = (page: Page): Promise<Stop | undefined> =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return undefined;
    // A radio button is drawn by the text next to it.
    const drawn = element.matches("input[type=radio]")
      ? element.nextElementSibling!
      : element;
    const { left, right, top, bottom } = drawn.getBoundingClientRect();
    const onTop = document.elementFromPoint(
      (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
      (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
    );
    return {
      name:
        element.getAttribute("aria-label") ??
        (element as HTMLInputElement).labels?.[0]?.textContent ??
        element.textContent,
      // A link that fills its row has the outline of the row.
      hasOutline: [undefined, "::after"].some((part) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(drawn, part);
        return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
      }),
      isInSight:
        onTop !== null && (drawn.contains(onTop) || onTop.contains(drawn)),
    };
  });

/** Presses Tab until something with this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<Stop> {
  for (let i = 0; i < MOST_STOPS; i++) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    if (stop?.name === name) return stop;
  }
  throw new Error(`Tab does not lead to ${name}.`);
}
