import {
  focused,
  MOST_STOPS,
  tabTo,
  type Stop,
} from "../../test/browser/keyboard.js";
import { chat, lane } from "./parts.js";
import { test } from "./visitor.js";

test("Tab reaches every control, which then is outlined and in sight", async ({
  page,
  expect,
}) => {
  const stops: Stop[] = [];
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (;;) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    if (stop === undefined) break;
    stops.push(stop);
    expect(stops.length).toBeLessThan(MOST_STOPS);
  }
  expect(stops.filter(({ hasOutline }) => !hasOutline)).toEqual([]);
  expect(stops.filter(({ isInSight }) => !isInSight)).toEqual([]);
  const names = stops.map(({ name }) => name);
  expect(names[0]).toBe("Skip to the first section");
  for (const name of [
    "Copy the install command",
    "Send",
    "Take 1",
    "Settings 10 tokens per 20 s",
    "Copy convex/rateLimiter.ts",
    "Ask and crash",
    "Reserve 5",
    "Let all comment",
    "0%",
    "Open the dashboard",
  ]) {
    expect(names).toContain(name);
  }
});

test("Tab, Enter and Space are enough to send, take, copy and reserve", async ({
  visit,
  expect,
}) => {
  const { context, openTab } = await visit();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await openTab();
  await tabTo(page, "Skip to the first section");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => location.hash)).toBe("#kinds");
  await page.keyboard.press("Tab");
  expect((await focused(page))?.name).toBe("Take 1");
  await page.keyboard.press("Enter");
  await lane(page, "Token bucket").answer.getByText("Granted").waitFor();

  await tabTo(page, "Copy convex/rateLimiter.ts");
  await page.keyboard.press("Enter");
  await page.getByText("Copied", { exact: true }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
    "new RateLimiter(components.rateLimiter",
  );

  await tabTo(page, "Reserve 5");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.getByText("Invoice 1").waitFor();

  await tabTo(page, "Message");
  await page.keyboard.press("Enter");
  await chat(page).getByText("2 messages left").waitFor();
});
