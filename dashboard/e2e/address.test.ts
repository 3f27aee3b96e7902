import type { Page } from "playwright-core";
import { button, expect, row, test } from "./operator.js";

const USERS = Array.from({ length: 70 }, (_, i) => `bob_${i + 10}`);
const OTHERS = Array.from({ length: 70 }, (_, i) => `ada_${i + 10}`);

const keys = (page: Page) =>
  page.getByRole("list", { name: "Keys in use" }).getByRole("link");

/** Waits until this page is shown, and all its keys begin with `prefix`. Returns the keys. */
async function listed(page: Page, prefix: string, pageNumber: number) {
  await page.getByText(`Page ${pageNumber}`, { exact: true }).waitFor();
  await page.locator("[data-stale=false]").waitFor();
  await expect
    .poll(async () =>
      (await keys(page).allTextContents()).every((key) =>
        key.startsWith(prefix),
      ),
    )
    .toBe(true);
  return keys(page).allTextContents();
}

const typed = (page: Page) => page.getByLabel("Find a key").inputValue();

test("a search and its page are in the address, and survive reload, Back and a key's page", async ({
  open,
  useKeys,
}) => {
  await useKeys([...USERS, ...OTHERS]);
  const { page, problems } = await open("#/signUp");
  await page.getByLabel("Find a key").fill("bob");
  await listed(page, "bob", 1);
  await button(page, "Next").click();
  const second = await listed(page, "bob", 2);
  await button(page, "Next").click();
  const third = await listed(page, "bob", 3);
  expect(third).not.toEqual(second);

  await page.reload();
  expect(await listed(page, "bob", 3)).toEqual(third);
  expect(await typed(page)).toBe("bob");
  await button(page, "Previous").click();
  expect(await listed(page, "bob", 2)).toEqual(second);

  await keys(page).first().click();
  await page.getByRole("heading", { name: second[0]!, exact: true }).waitFor();
  await page.goBack();
  expect(await listed(page, "bob", 2)).toEqual(second);
  await keys(page).last().click();
  await page.getByRole("heading", { name: "Actions" }).waitFor();
  await page.getByRole("link", { name: "signUp" }).click();
  expect(await listed(page, "bob", 2)).toEqual(second);
  expect(await typed(page)).toBe("bob");
  expect(problems).toEqual([]);
});

test("the Keys tab ends a search", async ({ open, useKeys }) => {
  await useKeys([...USERS, ...OTHERS]);
  const { page } = await open("#/signUp/keys/bob");
  await listed(page, "bob", 1);
  await button(page, "Next").click();
  await listed(page, "bob", 2);
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await listed(page, "", 1);
  expect(await typed(page)).toBe("");
  await page.goBack();
  await listed(page, "bob", 2);
  expect(await typed(page)).toBe("bob");
});

test("Back ends a search in one step", async ({ open, useKeys }) => {
  await useKeys([...USERS, ...OTHERS]);
  const { page } = await open("#/signUp");
  await listed(page, "", 1);
  const box = page.getByLabel("Find a key");
  for (const search of ["b", "bo", "bob_2"]) {
    await box.fill(search);
    await page.waitForURL(`**/*#/signUp/keys/${search}`);
  }
  await expect.poll(() => keys(page).count()).toBe(10);
  await page.goBack();
  await page.waitForURL("**/*#/signUp");
  await expect.poll(() => typed(page)).toBe("");
  await expect.poll(() => keys(page).count()).toBe(20);
});

test("the order of keys and the span of denials are in the address", async ({
  open,
  useKeys,
}) => {
  await useKeys([...USERS, ...OTHERS]);
  const { page } = await open("#/signUp");
  await page.getByRole("radio", { name: "By key" }).check();
  await expect.poll(() => keys(page).first().textContent()).toBe("ada_10");
  await page.reload();
  await expect.poll(() => keys(page).first().textContent()).toBe("ada_10");
  await page.goto(page.url().replace(/#.*/, "#/sendMessage/denials"));
  await page.getByRole("radio", { name: "Day", exact: true }).check();
  await page.reload();
  await page.getByRole("radio", { name: "Day", exact: true }).waitFor();
  expect(
    await page.getByRole("radio", { name: "Day", exact: true }).isChecked(),
  ).toBe(true);
});

test("a page of a list that does not exist links to the first one", async ({
  open,
  useKeys,
}) => {
  await useKeys(USERS);
  const { page } = await open("#/signUp");
  await page.goto(page.url().replace(/#.*/, "#/signUp/keys/bob/no%20cursor"));
  await page.getByText("There is no such page in this list.").waitFor();
  await page.getByRole("link", { name: "First page" }).click();
  await listed(page, "bob", 1);
  await page.goto(page.url().replace(/#.*/, "#/sendMessage/overrides/none"));
  await page.getByRole("link", { name: "First page" }).click();
  await page.getByText("No bans and no exceptions").waitFor();
});

test("a limit with requireKey can be banned as a whole", async ({
  open,
  call,
  useKeys,
}) => {
  await useKeys([null], "invite");
  await call("take", { name: "invite", key: "ada" });
  const { page } = await open("#/invite");
  await row(page, "ada").waitFor();
  await row(page, "all callers").waitFor();
  await page.getByRole("link", { name: "Whole limit" }).click();
  await page.getByText("each call of this limit has to name a key").waitFor();
  await button(page, "Ban").click();
  await button(page, "Ban").last().click();
  await page.getByText("Done: all of invite is banned until").waitFor();
  expect(await call("take", { name: "invite", key: "ada" })).toMatchObject({
    ok: false,
  });
});
