import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ARGS } from "../../test/browser/chromium.js";
import { startExample } from "../startExample.js";

const executablePath = inject("chromium");

describe.skipIf(executablePath === undefined)("the chat", () => {
  let example: Awaited<ReturnType<typeof startExample>>;
  let browser: Browser;
  beforeAll(async () => {
    example = await startExample({ port: 0, convexPort: 0 });
    browser = await chromium.launch({ executablePath, args: ARGS });
  });
  afterAll(async () => {
    await browser.close();
    await example.close();
  });

  const message = (page: Page) =>
    page.getByRole("textbox", { name: "Message" });

  /** Signs up a new user, who is then in the lobby. */
  async function enter(
    name: string,
    { width = 1280, clockIsAhead = 0 } = {},
  ): Promise<Page> {
    const viewport = { width, height: 844 };
    const page = await browser.newPage({ viewport });
    await page.addInitScript((ms) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + ms;
    }, clockIsAhead);
    await page.goto(example.url);
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Password").fill("correct horse");
    await page.keyboard.press("Enter");
    await message(page).waitFor();
    return page;
  }

  test("users read each other's messages, and the fourth waits for its token", async () => {
    const [ada, bob] = [await enter("Ada"), await enter("Bob", { width: 390 })];
    for (const text of ["one", "two", "three"]) {
      await message(ada).fill(text);
      await message(ada).press("Enter");
      await bob.getByText(text, { exact: true }).waitFor();
    }
    await message(ada).fill("four");
    const button = ada.getByRole("button", { name: /^(Wait \d s|Send)$/ });
    await expect.poll(() => button.textContent()).toMatch(/^Wait/);
    expect(await button.isDisabled()).toBe(true);
    await expect.poll(() => button.textContent()).toBe("Send");
    await button.click();
    await bob.getByText("four", { exact: true }).waitFor();
  });

  test("an answer shows what it holds, then what it cost", async () => {
    const page = await enter("Grace");
    await page.getByText("1000 tokens left today").waitFor();
    await page.getByRole("textbox", { name: "Question" }).fill("Who is there?");
    await page.keyboard.press("Enter");
    await page.getByText("700 tokens left today").waitFor();
    await page.getByText("974 tokens left today").waitFor();
  });

  test("a letter waits its turn and can be cancelled", async () => {
    const page = await enter("Hedy");
    for (const text of ["first", "second", "third"]) {
      await page.getByRole("textbox", { name: "Letter" }).fill(text);
      await page.keyboard.press("Enter");
      await page.getByText(text, { exact: true }).waitFor();
    }
    await page.getByRole("button", { name: "Cancel third" }).click();
    await page
      .getByText("third", { exact: true })
      .waitFor({ state: "detached" });
    await page.getByText("Sent", { exact: true }).waitFor();
    const button = page.getByRole("button", { name: /^(Mail|Wait .*)$/ });
    for (const text of ["fourth", "fifth"]) {
      expect(await button.textContent()).toBe("Mail");
      await page.getByRole("textbox", { name: "Letter" }).fill(text);
      await button.click();
      await page.getByText(text, { exact: true }).waitFor();
    }
    await expect.poll(() => button.textContent()).toBe("Wait 6 min");
    await page.getByText("You have written enough for now.").waitFor();
  });

  test("letters count down by the server's clock, even if the browser's is an hour slow", async () => {
    const page = await enter("Barbara", { clockIsAhead: -3_600_000 });
    for (const text of ["one letter", "another letter"]) {
      await page.getByRole("textbox", { name: "Letter" }).fill(text);
      await page.keyboard.press("Enter");
      await page.getByText(text, { exact: true }).waitFor();
    }
    const entry = page.getByRole("listitem").filter({ hasText: "another" });
    await expect.poll(() => entry.textContent()).toMatch(/in \d{1,2} s/);
    await expect
      .poll(() => entry.textContent(), { timeout: 40_000 })
      .toMatch(/Sent/);
  });

  test("a wrong password is reported in words on a phone, within its width", async () => {
    await enter("Katherine");
    const page = await browser.newPage({
      viewport: { width: 360, height: 740 },
    });
    await page.goto(example.url);
    await page.getByRole("button", { name: "I have an account" }).click();
    await page.getByLabel("Name").fill("Katherine");
    await page.getByLabel("Password").fill("wrong horse");
    await page.getByRole("button", { name: "Sign in" }).click();
    const problem = page.getByRole("alert");
    await expect
      .poll(() => problem.textContent())
      .toBe("The name or the password is wrong.");
    await page.getByLabel("Password").fill("correct horse");
    await page.keyboard.press("Enter");
    await message(page).waitFor();
    const width = await page.evaluate(() => document.body.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
  });

  test("a message that is written offline is sent once the connection is back", async () => {
    const [ada, bob] = [await enter("Mary"), await enter("Edsger")];
    await ada.context().setOffline(true);
    example.server.dropConnections();
    await ada.getByText("You are offline.").waitFor();
    await message(ada).fill("Was I away?");
    await message(ada).press("Enter");
    await ada.context().setOffline(false);
    await bob.getByText("Was I away?").waitFor();
  });
});
