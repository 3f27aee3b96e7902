import type { Page } from "playwright-core";
import { answer, button, section } from "./parts.js";
import { openOnClock, test } from "./visitor.js";

const jobsOf = (page: Page) => section(page, "Reserve now, run later");

/** The jobs as text, the newest first. */
const rows = (page: Page) => jobsOf(page).locator(".jobs li");

/** Notes in the page, from now on, in which order the jobs are shown as done. */
async function watchDone(page: Page): Promise<() => Promise<string[]>> {
  const done = await page.evaluateHandle(() => {
    const labels: string[] = [];
    const look = () => {
      // The oldest first: jobs that are done at one look are in the order of their rows.
      const found = [...document.querySelectorAll('[data-state="done"]')];
      for (const row of found.reverse()) {
        const label = row.querySelector("strong")?.textContent ?? "";
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

test("reserved jobs run in order, each at its time, unless they are cancelled", async ({
  page,
  expect,
}) => {
  const jobs = jobsOf(page);
  const done = await watchDone(page);
  await button(jobs, "Reserve 5").click();
  await expect
    .poll(() => answer(jobs).textContent())
    .toMatch(/^Granted 5 jobs\.The last runs in [678]\.\d s$/);
  const labels = rows(page).locator("strong");
  expect(await labels.allTextContents()).toEqual(
    [5, 4, 3, 2, 1].map((n) => `Invoice ${n}`),
  );
  await button(jobs, "Cancel Invoice 5").click();
  await rows(page).first().getByText("cancelled").waitFor();
  await expect.poll(done).toEqual([1, 2, 3, 4].map((n) => `Invoice ${n}`));
  const late = rows(page).filter({ hasText: "late" });
  for (const text of await late.allTextContents()) {
    const ms = Number(/(-?\d+) ms late/.exec(text)?.[1]);
    expect(ms).toBeGreaterThanOrEqual(0);
    // By then the next one would be due.
    expect(ms).toBeLessThan(2000);
  }
});

test("no wait is shown longer than the server's, even by a clock a minute slow", async ({
  visit,
  expect,
}) => {
  const page = await openOnClock(await visit());
  await page.clock.setSystemTime(Date.now() - 60_000);
  await button(page, "Reserve 5").click();
  const shown = rows(page).filter({ hasText: "Invoice 5" }).getByRole("timer");
  expect(Number.parseFloat((await shown.textContent())!)).toBeLessThanOrEqual(
    8,
  );
});

test("what does not fit in the queue is denied, and told when to come back", async ({
  page,
  expect,
}) => {
  const jobs = jobsOf(page);
  for (let i = 0; i < 3; i++) await button(jobs, "Reserve 5").click();
  await expect
    .poll(() => answer(jobs).textContent())
    .toMatch(/^Denied \d of 5 jobs\.Room (in \d\.\d s|now)$/);
  // One that runs at once, ten that wait, and those whose turn came in between.
  const reserved = await rows(page).count();
  expect(reserved).toBeGreaterThanOrEqual(11);
  expect(reserved).toBeLessThan(15);
});
