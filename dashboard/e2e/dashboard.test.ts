import { describe } from "vitest";
import { focused, tabTo } from "../../test/browser/keyboard.js";
import { SECRET } from "./app.js";
import { button, expect, fullness, row, signIn, test } from "./operator.js";

type Answer = { ok: boolean };

describe("signing in", () => {
  test("a wrong secret is refused, and the right one opens the limits in this tab only", async ({
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

  test("after too many wrong secrets the right one still opens the page", async ({
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

test("limits are described in words", async ({ open }) => {
  const { page, problems } = await open();
  for (const meaning of [
    "10 a minute, at most 3 at once",
    "100 a month of Europe/Berlin, refilled all at once",
    "3 running at once, each for 5 minutes unless renewed",
    "5 every 10 seconds",
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
  await page
    .getByText(/Each of its requests is now denied, and told to wait until \d/)
    .waitFor();
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

test("bans get longer, and a key can be made unlimited, given a rate and reset", async ({
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

  const clear = async () => {
    await button(page, "Clear overrides").click();
    await button(page, "Clear overrides").last().click();
    await confirm("Clear overrides");
    await page.getByText("Done: ada has no overrides.").waitFor();
  };
  const lift = async () => {
    await button(page, "Make unlimited").click();
    await button(page, "Make unlimited").last().click();
    await page.getByText("Done: ada is unlimited until").waitFor();
  };

  await lift();
  await page.getByText("What lies over it applies first: Banned").waitFor();
  expect(await send()).toMatchObject({ ok: false });
  await clear();
  await lift();
  for (let i = 0; i < 5; i++) expect(await send()).toMatchObject({ ok: true });

  await clear();

  await button(page, "Change rate or capacity").click();
  await page.getByLabel("Rate").fill("60");
  await page.getByLabel("Capacity").fill("7");
  await page.getByLabel("For").selectOption("until it is cleared");
  await page.getByText("Gives ada a rate of 60 and a capacity of 7").waitFor();
  await button(page, "Change rate or capacity").last().click();
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

test("keys are sorted by what they hold now, also after an override", async ({
  open,
  call,
}) => {
  const count = { ada: 1, bob: 2, eve: 3 };
  for (const [key, n] of Object.entries(count)) {
    await call("take", { name: "chat", key, count: n });
  }
  const { page } = await open("#/chat");
  const keys = page.getByRole("list", { name: "Keys in use" });
  const listed = () => keys.getByRole("link").allTextContents();
  await expect.poll(listed).toEqual(["eve", "bob", "ada"]);
  await page
    .getByText("The order of the pages dates from each key’s last write")
    .waitFor();
  await row(page, "ada").getByRole("link").click();
  await button(page, "Ban").click();
  await button(page, "Ban").last().click();
  await page.getByText("Done:").waitFor();
  await page.goBack();
  await expect.poll(listed).toEqual(["ada", "eve", "bob"]);
  await page.getByRole("radio", { name: "By key" }).check();
  await expect.poll(listed).toEqual(["ada", "bob", "eve"]);
  await page.getByText("last write").waitFor({ state: "detached" });
});

test("a limit without overrides says why it has no buttons for them", async ({
  open,
}) => {
  const { page } = await open("#/signUp/key/ada");
  await page.getByText("This limit looks for no overrides").waitFor();
  expect(await button(page, "Reset").count()).toBe(1);
  expect(await button(page, "Ban").count()).toBe(0);
});

test("a bar refills without a request to the server", async ({
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

test("leases are listed with their ends", async ({ open, call }) => {
  for (let i = 0; i < 3; i++) await call("hold", { key: "org_1" });
  const { page } = await open("#/render");
  await row(page, "org_1").getByText("0 of 3").waitFor();
  await page.getByRole("link", { name: "org_1" }).click();
  await page.getByText("1 held, ends in").first().waitFor();
  expect(await page.getByText("1 held, ends in").count()).toBe(3);
});

test("a chart shows denials bar by bar, and a list of them leads to the key", async ({
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
  const counted = ": 3 granted, 2 denied";
  const newest = await bars.getAttribute("aria-valuetext");
  await page.keyboard.press("End");
  // A new minute may have begun since the calls.
  if (!newest?.includes(counted)) await page.keyboard.press("ArrowLeft");
  await page.getByText(counted).waitFor();
  const heights = await page
    .locator(".large-chart .denied")
    .evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().height));
  expect(heights.filter((height) => height > 0)).toHaveLength(1);
  await page
    .getByText(/^\d+ in the last hour, \d+ in the last day\.$/)
    .waitFor();
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

test("10,000 keys can be paged and searched by prefix", async ({
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

test("the page keeps what it read while the server is away, then goes on by itself", async ({
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

test("a page whose secret is no longer valid asks for it again", async ({
  open,
}) => {
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
  // The field is focused at first.
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
  // The question before an action that cannot be undone focuses the safe answer.
  await expect
    .poll(() => focused(page))
    .toMatchObject({ name: "Keep it as it is" });
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await page.getByText("Done: ada has no overrides.").waitFor();
});

describe("the reason for a denial", () => {
  test("is shown by what the key would be granted now, and by its denials per hour", async ({
    open,
    call,
    deny,
  }) => {
    await deny([
      { key: "ada", denied: 7, hoursAgo: 2 },
      { key: "ada", denied: 20, hoursAgo: 5, others: 99 },
      { key: "ada", denied: 3, hoursAgo: 30 },
    ]);
    for (let i = 0; i < 12; i++) {
      await call("take", { name: "chat", key: "ada" });
    }
    const { page, problems } = await open("#/chat/key/ada");
    await page.getByText("Denied at least 29 times.").waitFor();
    const bars = page.getByRole("slider", { name: "Denials by the hour" });
    await bars.focus();
    await page.keyboard.press("End");
    await page.getByText("00: denied 2 times").waitFor();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("00: denied 0 times").waitFor();
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
    await page.getByText("00: denied at least 20 times").waitFor();

    const verdict = page.locator("#verdict");
    await expect.poll(() => verdict.textContent()).toContain("Denied. Less");
    await expect.poll(() => verdict.textContent()).toMatch(/in 5 min 5\d s/);
    await page.getByLabel("A call now").fill("11");
    await expect
      .poll(() => verdict.textContent())
      .toMatch(/^Never granted\. .* so the call throws\.$/);
    await call("take", { name: "chat", key: "bob", count: 4 });
    await page.goto(page.url().replace("ada", "bob"));
    await expect
      .poll(() => verdict.textContent())
      .toBe("Granted. Up to 6 would be.");
    await page.getByText("No denial is known.").waitFor();
    expect(problems).toEqual([]);
  });

  test("is shown in the header if it is a ban, of the key or of all keys", async ({
    open,
    call,
  }) => {
    const { page } = await open("#/sendMessage/all");
    await button(page, "Ban").click();
    await button(page, "Ban").last().click();
    for (const view of ["Keys", "Denials", "Overrides"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.getByText(/^Banned for each key, until/).waitFor();
      await page.getByText("By an override of the whole limit.").waitFor();
    }
    await page.goto(page.url().replace(/#.*/, "#/sendMessage/key/ada"));
    await page.getByText(/^Banned for each key, until/).waitFor();
    await page.getByText("By an override of the whole limit.").waitFor();
    await expect
      .poll(() => page.locator("#verdict").textContent())
      .toMatch(/^Denied\. The key is banned\. Granted in/);
    await page.getByLabel("A call now").fill("4");
    await expect
      .poll(() => page.locator("#verdict").textContent())
      .toMatch(/^Never granted\. .* so the call throws\.$/);
    await expect(
      call("take", { name: "sendMessage", key: "ada", count: 4 }),
    ).rejects.toThrow();
    await button(page, "Make unlimited").click();
    await button(page, "Make unlimited").last().click();
    await page.getByText(/^Unlimited for this key, until/).waitFor();
    await page
      .getByText(
        "By an override of this key. The code says: 10 a minute, at most 3 at once.",
      )
      .waitFor();
    const overrides = page.locator(".overrides li");
    const labels = overrides.locator(".key");
    expect(await labels.allTextContents()).toEqual(["This key", "Whole limit"]);
    const [own, whole] = await overrides
      .locator(".override")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    expect(own).toBe(whole);
    expect(
      await call("take", { name: "sendMessage", key: "ada" }),
    ).toMatchObject({ ok: true });
  });

  test("is found by a search of a key in all limits", async ({
    open,
    call,
    deny,
  }) => {
    await deny([{ key: "ada", denied: 7, hoursAgo: 2 }]);
    await call("take", { name: "sendMessage", key: "ada" });
    await call("takeOfPlan", { name: "plan", key: "ada", count: 33 });
    const { page, problems } = await open();
    await page.getByLabel("Find a key in all limits").fill("ada");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "ada in all limits" }).waitFor();
    await row(page, "chat").getByText("denied 7 times").waitFor();
    await row(page, "plan").getByText("467 as stored").waitFor();
    await row(page, "sendMessage").getByText("of 3").waitFor();
    const results = page.getByRole("list", { name: "know this key" });
    expect(await results.getByRole("listitem").count()).toBe(3);
    await page.getByText("Not used with it lately: api").waitFor();
    await page.reload();
    await page.getByRole("link", { name: "chat" }).click();
    await page.getByText("Denied 7 times.").waitFor();
    await page.goBack();
    await page.getByLabel("Find a key in all limits").fill("nobody");
    await button(page, "Find").click();
    await page.getByText("No limit knows this key").waitFor();
    expect(problems).toEqual([]);
  });
});

test("a single lease can be released, after a question, by keyboard", async ({
  open,
  call,
}) => {
  const hold = () => call<Answer>("hold", { key: "org_1" });
  for (let i = 0; i < 3; i++) await hold();
  const { page, problems } = await open("#/render/key/org_1");
  const releases = page.getByRole("button", { name: /^Release the lease/ });
  await expect.poll(() => releases.count()).toBe(3);
  const names = await releases.evaluateAll((all) =>
    all.map(({ ariaLabel }) => ariaLabel!.replace(/.* old/, "")),
  );
  expect(names).toEqual([", 1 of 3", ", 2 of 3", ", 3 of 3"]);
  await releases.first().press("Enter");
  const question = page.getByRole("dialog");
  await question.getByText("Release a lease of org_1?").waitFor();
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  expect(await releases.count()).toBe(3);
  await releases.first().press("Enter");
  await expect
    .poll(() => focused(page))
    .toMatchObject({ name: "Keep it as it is" });
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.getByText("Done: the lease is released.").waitFor();
  await expect.poll(() => releases.count()).toBe(2);
  expect([(await hold()).ok, (await hold()).ok]).toEqual([true, false]);
  expect(problems).toEqual([]);
});

test("a new rate changes a capacity that the code leaves out, and can credit the difference", async ({
  open,
  call,
}) => {
  const send = () => call<Answer>("take", { name: "chat", key: "ada" });
  for (let i = 0; i < 10; i++) await send();
  const { page, problems } = await open("#/chat/key/ada");
  await button(page, "Change rate or capacity").click();
  await page.getByText("empty makes it the rate").waitFor();
  await page.getByLabel("Rate").fill("60");
  await page.getByText("Then: 60 an hour, for this key.").waitFor();
  await page.getByText("the capacity changes, too: from 10 to 60").waitFor();
  await page
    .getByText(/It holds 0 of 10 now, and 0(\.\d)? of 60 then/)
    .waitFor();
  await page.getByLabel("difference of 50 tokens").check();
  await page.getByText(/of 10 now, and 50(\.\d)? of 60 then/).waitFor();
  await page.getByLabel("Note").press("Enter");
  // Since the last call, the new rate has already given the rest.
  await page.getByText(/and was given (50|49\.\d+) tokens/).waitFor();
  await page.getByText(/^60 an hour, for this key, until/).waitFor();
  await page.getByText(/^50(\.\d)? of 60$/).waitFor();
  for (let i = 0; i < 50; i++) expect(await send()).toMatchObject({ ok: true });
  expect(await send()).toMatchObject({ ok: false });

  await button(page, "Change rate or capacity").click();
  await page.getByLabel("Capacity").fill("5");
  await page.getByText("Then: 10 an hour, at most 5 at once").waitFor();
  expect(await page.getByLabel("difference").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("a key is forgotten after a question, and its ban only on request", async ({
  open,
  call,
}) => {
  const send = () => call<Answer>("take", { name: "chat", key: "ada" });
  for (let i = 0; i < 4; i++) await send();
  const { page, problems } = await open("#/chat/key/ada");
  await button(page, "Ban").click();
  await page.getByLabel("Note").press("Enter");
  await page.getByText(/^Done: ada is banned until/).waitFor();
  const forget = async (hasBans: boolean) => {
    await button(page, "Forget the key").click();
    if (hasBans) await page.getByLabel("Also forget its bans").check();
    await page.locator("form").getByRole("button").first().click();
    const question = page.getByRole("dialog");
    await question.getByText("Forget the key: ada?").waitFor();
    await button(question, "Forget the key").click();
  };
  await forget(false);
  await page
    .getByText("Done: ada is forgotten; its bans stay in chat.")
    .waitFor();
  expect((await send()).ok).toBe(false);
  await forget(true);
  await page.getByText("Done: ada is forgotten.").waitFor();
  await page.getByText("10 of 10").waitFor();
  expect((await send()).ok).toBe(true);
  expect(problems).toEqual([]);
});

test("limits that the code does not name are listed as such, with their keys", async ({
  open,
  call,
}) => {
  await call("takeOfPlan", { name: "plan", key: "org_1", count: 33 });
  await call("holdOfPlan", { key: "org_2" });
  const { page } = await open("", { isSignedIn: false });
  await page.getByLabel("Secret").fill("a wrong secret of some length");
  await page.keyboard.press("Enter");
  await page.getByText("That is not right").waitFor();
  await signIn(page);
  await page.getByRole("heading", { name: "Not named in the code" }).waitFor();
  await page.getByText("cannot be asked or changed").waitFor();
  expect(await page.getByText("failed attempts").count()).toBe(0);
  await page.getByRole("link", { name: "runsOfPlan" }).click();
  await page.getByText("4 of 5").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "plan", exact: true }).click();
  await page.getByText("The code does not name this limit").waitFor();
  await page.getByText("467 as stored").waitFor();
  expect(await page.getByRole("link", { name: "org_1" }).count()).toBe(0);
  await page.getByLabel("Find a key").fill("org_2");
  await page.getByText("No key in use begins with “org_2”.").waitFor();
});
