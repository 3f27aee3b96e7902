import type { Page } from "playwright-core";
import { answer, button, section } from "./parts.js";
import { openOnClock, test } from "./visitor.js";

const jobsOf = (page: Page) => section(page, "Reserve now, run later");

const rows = (page: Page) => jobsOf(page).locator(".jobs li");

test("reserved jobs run at their times unless they are cancelled", async ({
  page,
  expect,
}) => {
  const jobs = jobsOf(page);
  const begin = Date.now();
  await button(jobs, "Reserve 5").click();
  /** In seconds, from the click: what is left of it is shown. */
  const longestWait = async () => {
    const text = await answer(jobs).textContent();
    const shown = /^Granted 5 jobs\.The last runs in ([0-8]\.\d) s$/;
    return Number(shown.exec(text!)?.[1]) + (Date.now() - begin) / 1000;
  };
  await expect.poll(longestWait).toBeGreaterThanOrEqual(6);
  await button(jobs, "Cancel Invoice 5").click();
  const states = () =>
    rows(page).evaluateAll((rows) => rows.map((row) => row.dataset["state"]));
  const done = ["done", "done", "done", "done"];
  await expect.poll(states).toEqual(["cancelled", ...done]);
  const late = rows(page).filter({ hasText: "late" });
  for (const text of await late.allTextContents()) {
    const ms = Number(/(-?\d+) ms late/.exec(text)?.[1]);
    expect(ms).toBeGreaterThanOrEqual(0);
    // A slow machine runs them late. By then all would be due.
    expect(ms).toBeLessThan(8000);
  }
});

test("no wait is shown longer than the server's, even if the clock is a minute slow", async ({
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

test("jobs that do not fit in the queue are denied with a wait", async ({
  page,
  expect,
}) => {
  const jobs = jobsOf(page);
  for (let i = 0; i < 3; i++) await button(jobs, "Reserve 5").click();
  await expect
    .poll(() => answer(jobs).textContent())
    .toMatch(/^Denied \d of 5 jobs\.Room (in \d\.\d s|now)$/);
});
