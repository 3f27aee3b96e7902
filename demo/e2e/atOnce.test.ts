import type { Page } from "playwright-core";
import { answer, button, section } from "./parts.js";
import { test } from "./visitor.js";

const placesOf = (page: Page) => section(page, "Three at a time");

/** What the page shows at one moment: what is in the places, and how many are free. */
type Shown = { states: string; free: string };

const ALL_RUN = "running running running";

/** Notes in the page each thing that is shown, from now on. */
async function watch(page: Page): Promise<() => Promise<Shown[]>> {
  const noted = await placesOf(page).evaluateHandle((section) => {
    const noted: Shown[] = [];
    const look = () => {
      const states = [...section.querySelectorAll<HTMLElement>("ol > li")]
        .map(({ dataset }) => dataset["state"])
        .join(" ");
      const free = section.querySelector(".balance strong")?.textContent ?? "";
      const last = noted.at(-1);
      if (last?.states !== states || last.free !== free) {
        noted.push({ states, free });
      }
    };
    new MutationObserver(look).observe(section, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
    return noted;
  });
  return () => noted.jsonValue();
}

test("of four renders three run, longer than a lease; the fourth is denied, and has a place once one is done", async ({
  page,
  expect,
}) => {
  const places = placesOf(page);
  const shown = await watch(page);
  const isFree = (count: string) =>
    expect.poll(async () => (await shown()).at(-1)?.free).toBe(count);
  await button(places, "Render, 7 s").evaluate((element: HTMLElement) => {
    for (let i = 0; i < 4; i++) element.click();
  });
  await expect
    .poll(() => answer(places).textContent())
    .toMatch(/^Denied No place is free\.Next in /);
  await isFree("3");
  const seen = await shown();
  const allRun = seen.findIndex(({ states }) => states === ALL_RUN);
  expect(seen[allRun]?.free).toBe("0");
  // No place was free while all three ran: their leases were renewed.
  const after = seen.slice(allRun).find(({ free }) => free !== "0");
  expect(after?.states).not.toBe(ALL_RUN);
  await button(places, "Render, 7 s").click();
  await places.getByText("running").waitFor();
  await isFree("2");
});

test("a render that crashes keeps its place until its lease ends, and nothing has to free it", async ({
  page,
  expect,
}) => {
  const places = placesOf(page);
  const shown = await watch(page);
  await button(places, "Render and crash").click();
  await places.getByText("Render 1 crashed and released nothing.").waitFor();
  await expect
    .poll(async () => (await shown()).at(-1))
    .toEqual({ states: "free free free", free: "3" });
  expect(await shown()).toContainEqual({
    states: "crashed free free",
    free: "2",
  });
});
