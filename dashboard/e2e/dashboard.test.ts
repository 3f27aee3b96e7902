import { describe } from "vitest";
import { focused, tabTo } from "../../test/browser/keyboard.js";
import { SECRET } from "./app.js";
import { button, expect, fullness, row, signIn, test } from "./operator.js";

type Answer = { ok: boolean };

describe("signing in", () => {
  test("a wrong secret is told so, the right one opens the limits, in this tab only", async ({
    open,
    server,
  }) => {
    const { page, context } = await open("", { isSignedIn: false });
    await page.getByLabel("Secret").fill("a wrong secret of some length");
    await page.keyboard.press("Enter");
    await page.getByText("That is not right").waitFor();
    await signIn(page);
    await page.getByRole("heading", { name: "Limits" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "sendMessage" }).waitFor();
    expect(page.url()).not.toContain("secret");
    expect(await context.cookies()).toEqual([]);
    const other = await context.newPage();
    await other.goto(`${server.siteUrl}/rate-limits/`);
    await other.getByLabel("Secret").waitFor();
  });

  test("whoever tries too often is told so, and the right secret still opens", async ({
    open,
  }) => {
    const { page } = await open("", { isSignedIn: false });
    for (let i = 0; i < 11; i++) {
      await page.getByLabel("Secret").fill(`a wrong secret, number ${i}`);
      await page.keyboard.press("Enter");
      await page.getByText("Signing in…").waitFor({ state: "hidden" });
    }
    await page.getByText("too many wrong attempts").waitFor();
    await signIn(page);
    await page.getByRole("link", { name: "sendMessage" }).waitFor();
  });

  test("signing out asks for the secret again", async ({ open }) => {
    const { page } = await open();
    await button(page, "Sign out").click();
    await page.getByLabel("Secret").waitFor();
    await page.reload();
    await page.getByLabel("Secret").waitFor();
  });
});

test("limits say in words what they are", async ({ open }) => {
  const { page, problems } = await open();
  for (const meaning of [
    "10 a minute, at most 3 at once, for each key",
    "100 a month of Europe/Berlin, all at the start, for each key",
    "3 running at once for each key, each for 5 minutes unless renewed",
    "5 every 10 seconds, for each key",
  ]) {
    await page.getByText(meaning, { exact: true }).waitFor();
  }
  await page.getByText("dry run: denies nothing").waitFor();
  expect(problems).toEqual([]);
});

test("a key is found, banned, denied in another tab, and lifted again", async ({
  open,
  call,
}) => {
  const send = () =>
    call<Answer>("take", { name: "sendMessage", key: "ada@example.com" });
  await send();
  await call("take", { name: "sendMessage", key: "bob@example.com" });
  const { page, problems } = await open("#/sendMessage");
  await row(page, "bob@example.com").waitFor();
  await page.getByLabel("Find a key").fill("ada");
  await row(page, "bob@example.com").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "ada@example.com" }).click();

  await button(page, "Ban").click();
  await page.getByLabel("For").selectOption("1 hour");
  await page.getByLabel("Note").fill("Spam wave");
  await page
    .getByText("Denies every request of ada@example.com on sendMessage, until")
    .waitFor();
  await page.getByLabel("Note").press("Enter");
  await page.getByText("Done: ada@example.com is banned until").waitFor();
  await page.getByText(/^Banned until/).waitFor();
  await page.getByText("Spam wave").waitFor();
  expect(await send()).toMatchObject({ ok: false });

  await button(page, "Clear overrides").click();
  await button(page, "Clear overrides").last().click();
  const question = page.getByRole("dialog");
  await question.getByText("This cannot be undone").waitFor();
  expect(await send()).toMatchObject({ ok: false });
  await question.getByRole("button", { name: "Clear overrides" }).click();
  await page.getByText("Done: ada@example.com has no overrides.").waitFor();
  expect(await send()).toMatchObject({ ok: true });
  expect(problems).toEqual([]);
});

test("bans get longer, a limit is lifted, a rate is changed, a key is reset", async ({
  open,
  call,
}) => {
  const send = () => call<Answer>("take", { name: "sendMessage", key: "ada" });
  const { page, problems } = await open("#/sendMessage/key/ada");
  for (const ban of ["ban 1 in a row", "ban 2 in a row"]) {
    await button(page, "Ban, longer each time").click();
    await button(page, "Ban, longer each time").last().click();
    await page.getByText(ban).waitFor();
  }
  const confirm = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

  await button(page, "Make unlimited").click();
  await button(page, "Make unlimited").last().click();
  await confirm("Make unlimited");
  await page.getByText("Done: ada is unlimited until").waitFor();
  for (let i = 0; i < 5; i++) expect(await send()).toMatchObject({ ok: true });

  await button(page, "Change rate or capacity").click();
  await page.getByLabel("Rate").fill("60");
  await page.getByLabel("Capacity").fill("7");
  await page.getByLabel("For").selectOption("until it is cleared");
  await page.getByText("Gives ada a rate of 60 and a capacity of 7").waitFor();
  await button(page, "Change rate or capacity").last().click();
  await confirm("Change rate or capacity");
  await page.getByText("rate 60, capacity 7").waitFor();
  await page.getByText("7 of 7").waitFor();
  for (let i = 0; i < 7; i++) await send();
  expect(await send()).toMatchObject({ ok: false });

  await button(page, "Reset").click();
  await button(page, "Reset").last().click();
  await confirm("Reset");
  await page.getByText("Done: ada is full again.").waitFor();
  expect(await send()).toMatchObject({ ok: true });
  expect(problems).toEqual([]);
});

test("a limit without overrides says why it has no buttons for them", async ({
  open,
}) => {
  const { page } = await open("#/signUp/key/ada");
  await page.getByText("This limit looks for no overrides").waitFor();
  expect(await button(page, "Reset").count()).toBe(1);
  expect(await button(page, "Ban").count()).toBe(0);
});

test("a bar refills as one looks, without a question to the server", async ({
  open,
  call,
}) => {
  for (let i = 0; i < 3; i++) {
    await call("take", { name: "sendMessage", key: "ada" });
  }
  const { page, context } = await open("#/sendMessage/key/ada");
  await page.getByText("of 3").waitFor();
  await context.setOffline(true);
  const before = await fullness(page);
  expect(before).toBeLessThan(0.6);
  await expect.poll(() => fullness(page)).toBeGreaterThan(before + 0.1);
});

test("leases are told, and when they end", async ({ open, call }) => {
  for (let i = 0; i < 3; i++) await call("hold", { key: "org_1" });
  const { page } = await open("#/render");
  await row(page, "org_1").getByText("0 of 3").waitFor();
  await page.getByRole("link", { name: "org_1" }).click();
  await page.getByText("1 held, ends in").first().waitFor();
  expect(await page.getByText("1 held, ends in").count()).toBe(3);
});

test("denials are drawn, told bar by bar, and lead to the key", async ({
  open,
  call,
}) => {
  for (let i = 0; i < 5; i++) {
    await call("take", { name: "sendMessage", key: "ada" });
  }
  const { page, problems } = await open();
  const limit = page.getByRole("listitem").filter({ hasText: "sendMessage" });
  await limit.getByText("2 denied").first().waitFor();
  await page.getByRole("link", { name: "sendMessage" }).click();
  await page.getByRole("link", { name: "Denials" }).click();
  const bars = page.getByRole("slider", { name: "Calls over time" });
  await bars.focus();
  await page.keyboard.press("End");
  await page.getByText(": 3 granted, 2 denied").waitFor();
  const heights = await page
    .locator(".large-chart .denied")
    .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height));
  expect(heights.filter((height) => height > 0)).toHaveLength(1);
  await page.getByRole("radio", { name: "Day", exact: true }).check();
  await page.getByRole("radio", { name: "30 days" }).check();
  await page.getByRole("link", { name: "ada" }).click();
  await page.getByRole("heading", { name: "ada" }).waitFor();
  expect(problems).toEqual([]);
});

test("a limit without stats says how to turn them on", async ({ open }) => {
  const { page } = await open("#/signUp/denials");
  await page.getByText("The calls of this limit are not counted").waitFor();
  await page.getByText("stats: true").waitFor();
});

test("among 10,000 keys one is found by its beginning, and pages are turned", async ({
  open,
  useKeys,
}) => {
  await useKeys(Array.from({ length: 10_000 }, (_, i) => `user_${i}`));
  const { page } = await open("#/signUp");
  await page.getByText("Page 1").waitFor();
  expect(await page.getByRole("link", { name: /^user_/ }).count()).toBe(20);
  const first = await page
    .getByRole("link", { name: /^user_/ })
    .first()
    .textContent();
  await button(page, "Next").click();
  await page.getByText("Page 2").waitFor();
  await expect
    .poll(() =>
      page
        .getByRole("link", { name: /^user_/ })
        .first()
        .textContent(),
    )
    .not.toBe(first);
  await page.getByLabel("Find a key").fill("user_98");
  await expect
    .poll(() =>
      page
        .getByRole("link", { name: /^user_/ })
        .first()
        .textContent(),
    )
    .toBe("user_98");
  await page.getByLabel("Find a key").fill("user_9876");
  await expect
    .poll(() => page.getByRole("link", { name: /^user_/ }).count())
    .toBe(1);
});

test("a server that is away is told, what was read stays, and it goes on by itself", async ({
  open,
  call,
}) => {
  await call("take", { name: "sendMessage", key: "ada" });
  const { page, context } = await open("#/sendMessage");
  await row(page, "ada").waitFor();
  await context.setOffline(true);
  await page.getByText("The server cannot be reached").waitFor();
  expect(await row(page, "ada").isVisible()).toBe(true);
  await page.getByRole("link", { name: "ada" }).click();
  await page.getByText("Nothing of this has been read yet.").waitFor();
  await context.setOffline(false);
  await page.getByText("of 3").waitFor();
  await page
    .getByText("The server cannot be reached")
    .waitFor({ state: "hidden" });
});

test("what is refused meanwhile asks for the secret", async ({ open }) => {
  const { page } = await open();
  await page.evaluate(() => {
    for (const name of Object.keys(sessionStorage)) {
      sessionStorage.setItem(name, "a secret that is no more");
    }
  });
  await page.reload();
  await page.getByText("That is not right").waitFor();
  expect(await page.getByLabel("Secret").isVisible()).toBe(true);
});

test("the keyboard alone is enough to sign in, find a key, ban it and lift it", async ({
  open,
  call,
}) => {
  await call("take", { name: "sendMessage", key: "ada" });
  const { page } = await open("", { isSignedIn: false });
  const { keyboard } = page;
  const goTo = async (name: string) =>
    expect(await tabTo(page, name)).toMatchObject({ hasOutline: true });
  // The field takes the focus by itself.
  await page.locator("input:focus").waitFor();
  await keyboard.type(SECRET);
  await keyboard.press("Enter");
  await page.getByRole("link", { name: "sendMessage" }).waitFor();
  await goTo("sendMessage");
  await keyboard.press("Enter");
  await page.getByLabel("Find a key").waitFor();
  await goTo("Find a key");
  await keyboard.type("ad");
  await page.getByText("Open the key “ad”").waitFor();
  await goTo("ada");
  await keyboard.press("Enter");
  await button(page, "Ban").waitFor();
  await goTo("Ban");
  await keyboard.press("Enter");
  await goTo("Note");
  await keyboard.type("by keyboard");
  await keyboard.press("Enter");
  await page.getByText("Done: ada is banned").waitFor();
  await expect.poll(() => focused(page)).toMatchObject({ name: "Ban" });
  await goTo("Clear overrides");
  await keyboard.press("Enter");
  await page.getByText("Removes the overrides of ada").waitFor();
  expect(await focused(page)).toMatchObject({ name: "Clear overrides" });
  await keyboard.press("Enter");
  // What cannot be undone asks, and the answer that changes nothing is the nearer one.
  await expect
    .poll(() => focused(page))
    .toMatchObject({ name: "Keep it as it is" });
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await page.getByText("Done: ada has no overrides.").waitFor();
});
