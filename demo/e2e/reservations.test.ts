import type { Page } from "playwright-core";
import { expect } from "vitest";
import { button, lane, section } from "./playground.js";
import { test } from "./visitor.js";

const jobsOf = (page: Page) => section(page, "Reserve now, run later");

/** The rows of the table as text, the newest first. */
const rows = (page: Page) => jobsOf(page).locator("tbody tr").allTextContents();

/** Notes in the page, from now on, in which order the jobs are shown as done. */
async function watchDone(page: Page): Promise<() => Promise<string[]>> {
  const done = await page.evaluateHandle(() => {
    const labels: string[] = [];
    const look = () => {
      // The oldest first: jobs that are done at one look are in the order of their rows.
      const found = [
        ...document.querySelectorAll('tr[data-state="done"]'),
      ].reverse();
      for (const row of found) {
        const label = row.querySelector("th")?.textContent ?? "";
        if (!labels.includes(label)) labels.push(label);
      }
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      attributeFilter: ["data-state"],
    });
    return labels;
  });
  return () => done.jsonValue();
}

test("five reserved jobs run in order, each at its time", async ({ page }) => {
  const said = jobsOf(page).getByRole("status");
  const done = await watchDone(page);
  await button(page, "Reserve 5").click();
  await expect
    .poll(() => said.textContent())
    .toMatch(/^Reserved 5 jobs; the last runs in \d(\.\d)? s\.$/);
  expect((await rows(page)).map((text) => text.slice(0, 9))).toEqual([
    "Invoice 5",
    "Invoice 4",
    "Invoice 3",
    "Invoice 2",
    "Invoice 1",
  ]);
  await expect
    .poll(done)
    .toEqual(["Invoice 1", "Invoice 2", "Invoice 3", "Invoice 4", "Invoice 5"]);
  for (const text of await rows(page)) {
    const late = Number(/done(-?\d+) ms late/.exec(text)?.[1]);
    expect(late).toBeGreaterThanOrEqual(0);
    // By then the next one would be due.
    expect(late).toBeLessThan(2000);
  }
});

test("a job is shown waiting until its time, and no earlier done", async ({
  page,
}) => {
  await button(page, "Reserve 5").click();
  const last = jobsOf(page).getByRole("row", { name: /Invoice 5/ });
  await last.getByText("waiting").waitFor();
  const left = async () =>
    Number.parseFloat(
      (await last.getByRole("timer").textContent({ timeout: 1000 })) ?? "",
    );
  const first = await left();
  expect(first).toBeLessThanOrEqual(8);
  await expect.poll(left).toBeLessThan(first);
  await button(page, "Cancel Invoice 5").click();
  await last.getByText("cancelled").waitFor();
  await jobsOf(page).getByText("Its token is free again.").waitFor();
});

test("no wait is shown longer than the server's, even by a clock a minute slow", async ({
  visit,
}) => {
  const { context, openTab } = await visit();
  await context.clock.install();
  const page = await openTab();
  // The page asks the server for its time in the first seconds. Answers come in order: when
  // this one is there the others are too.
  await page.clock.runFor(5000);
  await button(page, "Check").click();
  await lane(page, "Fixed window").card.getByText("Would grant").waitFor();
  await page.clock.setSystemTime(Date.now() - 60_000);
  await button(page, "Reserve 5").click();
  const said = jobsOf(page).getByText(/^Reserved 5 jobs; the last runs in /);
  const shown = jobsOf(page).getByRole("row", { name: /Invoice 5/ });
  for (const text of [
    await said.textContent(),
    await shown.getByRole("timer").textContent(),
  ]) {
    const seconds = Number(/(?:^| in )([\d.]+) s\.?$/.exec(text ?? "")?.[1]);
    expect(seconds).toBeLessThanOrEqual(8);
  }
});

test("what does not fit in the queue is refused, and told when to come back", async ({
  page,
}) => {
  for (let i = 0; i < 3; i++) await button(page, "Reserve 5").click();
  await jobsOf(page)
    .getByText(
      /Refused \d jobs?: ten are waiting\. There is room in \d+(\.\d)? m?s\./,
    )
    .waitFor();
  // One that runs at once, ten that wait, and those whose turn came in between.
  const reserved = (await rows(page)).length;
  expect(reserved).toBeGreaterThanOrEqual(11);
  expect(reserved).toBeLessThan(15);
});
