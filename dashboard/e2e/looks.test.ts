import type { Locator } from "playwright-core";
import { describe } from "vitest";
import {
  overhang,
  pictureOf,
  SIGHTS,
  violations,
} from "../../test/browser/looking.js";
import { button, expect, test } from "./operator.js";

describe.for(Object.entries(SIGHTS))("%s", ([sight, options]) => {
  test("every view fits its width and passes axe", async ({
    open,
    call,
    deny,
  }) => {
    const users = ["ada", "grace", "katherine", "hedy", "margaret"];
    for (const [i, user] of users.entries()) {
      const key = `${user}@example.com`;
      for (let n = 0; n <= i; n++)
        await call("take", { name: "sendMessage", key });
    }
    for (let n = 0; n < 3; n++) await call("hold", { key: "org_1" });
    await call("takeOfPlan", { name: "plan", key: "org_1", count: 33 });
    await call("takeOfPlan", { name: "zone: Berlin", key: "org_1" });
    await call("holdOfPlan", { key: "org_1" });
    for (let n = 0; n < 14; n++)
      await call("take", { name: "chat", key: "org_1" });
    await deny([
      { key: "org_1", denied: 7, hoursAgo: 2 },
      { key: "org_1", denied: 22, hoursAgo: 5, others: 99 },
      { key: "org_1", denied: 2, hoursAgo: 19 },
    ]);
    for (let n = 0; n < 12; n++)
      await call("take", { name: "search", key: "u" });
    await call("take", { name: "llmTokens", key: "org_1", count: 31_000 });

    const { page, problems } = await open("", {
      ...options,
      isSignedIn: false,
    });
    const look = async (name: string) => {
      await page.screenshot({ path: pictureOf(`dashboard-${sight}-${name}`) });
      expect(await violations(page, options)).toEqual([]);
      expect(await overhang(page)).toBe(0);
    };
    const visit = async (hash: string, text: string) => {
      await page.goto(`${page.url().split("#")[0]}${hash}`);
      await page.getByText(text).first().waitFor();
    };

    await look("sign-in");
    await page.getByLabel("Secret").fill("a secret for the tests alone");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "sendMessage" }).waitFor();
    await look("limits");
    await visit("#/sendMessage", "hedy@example.com");
    await look("keys");
    // All links look alike, and the bar on top is as wide as the list.
    const key = page.getByRole("link", { name: "hedy@example.com" });
    const crumb = page.getByRole("link", { name: "Limits", exact: true });
    const looksOf = (link: Locator) =>
      link.evaluate((element) => {
        const { color, textDecorationLine } = getComputedStyle(element);
        return { color, textDecorationLine };
      });
    expect(await looksOf(key)).toEqual(await looksOf(crumb));
    const [top, list] = await Promise.all(
      [".top", ".keys"].map(async (part) => {
        const { x, width } = (await page.locator(part).boundingBox())!;
        return { x, width };
      }),
    );
    expect(top).toEqual(list);
    await visit("#/sendMessage/key/hedy%40example.com", "Actions");
    await button(page, "Ban").click();
    await page.getByLabel("Note").fill("Spam wave, see the ticket");
    await look("ban");
    await page.getByLabel("Note").press("Enter");
    await page.getByText("Done:").waitFor();
    await look("banned");
    await button(page, "Clear overrides").click();
    await button(page, "Clear overrides").last().click();
    await page.getByRole("dialog").waitFor();
    await look("question");
    await page.keyboard.press("Escape");
    await visit("#/sendMessage/denials", "Denied most");
    await look("denials");
    await visit("#/sendMessage/overrides", "Spam wave");
    await look("overrides");
    await visit("#/sendMessage/all", "Calls without a key");
    await look("whole");
    await visit("#/render/key/org_1", "Leases");
    await look("leases");
    await button(page, /^Release/)
      .first()
      .click();
    await page.getByRole("dialog").waitFor();
    await look("release");
    await page.keyboard.press("Escape");
    await visit("#/chat/key/org_1", "at least");
    await page.getByRole("slider").focus();
    await page.keyboard.press("End");
    await look("denied-hours");
    await button(page, "Change rate or capacity").click();
    await page.getByLabel("Rate").fill("60");
    await page.getByLabel("Also give it").check();
    await page.getByText("It holds").waitFor();
    await look("change");
    await page.getByLabel("Note").press("Enter");
    await page.getByText("Done:").waitFor();
    await look("changed");
    await visit("#find/org_1", "Not used with it lately");
    await look("find");
    await visit("#find/nobody", "No limit knows this key");
    await look("find-nobody");
    await visit("#/plan", "The code does not name this limit");
    await look("unnamed");
    await visit("#/runsOfPlan", "4 of 5");
    await look("unnamed-places");
    await visit("#/signUp", "No key is in use");
    await look("empty");
    await visit("#/signUp/overrides", "looks for no overrides");
    await look("no-overrides");
    await page.context().setOffline(true);
    await page.getByText("The server cannot be reached").waitFor();
    await look("offline");
    // The browser also logs that the network is away.
    const others = problems.filter(
      (problem) => !/Failed to load/.test(problem),
    );
    expect(others).toEqual([]);
  });
});
