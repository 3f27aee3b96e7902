import { describe } from "vitest";
import {
  overhang,
  pictureOf,
  SIGHTS,
  violations,
} from "../../test/browser/looking.js";
import { button, expect, test } from "./operator.js";

describe.for(Object.entries(SIGHTS))("%s", ([sight, options]) => {
  test("every view fits, and axe finds no fault in it", async ({
    open,
    call,
  }) => {
    const users = ["ada", "grace", "katherine", "hedy", "margaret"];
    for (const [i, user] of users.entries()) {
      const key = `${user}@example.com`;
      for (let n = 0; n <= i; n++)
        await call("take", { name: "sendMessage", key });
    }
    for (let n = 0; n < 3; n++) await call("hold", { key: "org_1" });
    for (let n = 0; n < 12; n++)
      await call("take", { name: "search", key: "u" });
    await call("take", { name: "llmTokens", key: "org_1", count: 31_000 });

    const { page, problems } = await open("", {
      ...options,
      isSignedIn: false,
    });
    const look = async (name: string) => {
      await page.screenshot({ path: pictureOf(`dashboard-${sight}-${name}`) });
      expect(await violations(page)).toEqual([]);
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
    await visit("#/sendMessage/key/hedy%40example.com", "Actions");
    await button(page, "Ban").click();
    await page.getByLabel("Note").fill("Spam wave, see the ticket");
    await look("ban");
    await page.getByLabel("Note").press("Enter");
    await page.getByText("Done:").waitFor();
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
    await visit("#/signUp", "No key is in use");
    await look("empty");
    await visit("#/signUp/overrides", "looks for no overrides");
    await look("no-overrides");
    await page.context().setOffline(true);
    await page.getByText("The server cannot be reached").waitFor();
    await look("offline");
    // That the network is away, the browser says, too.
    const others = problems.filter(
      (problem) => !/Failed to load/.test(problem),
    );
    expect(others).toEqual([]);
  });
});
