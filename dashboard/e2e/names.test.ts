import type { Locator, Page } from "playwright-core";
import { describe } from "vitest";
import { overhang, pictureOf, violations } from "../../test/browser/looking.js";
import { ADA } from "./app.js";
import { button, expect, row, test } from "./operator.js";

const RLO = "\u202e";
const LONG = `${"<b>".repeat(150)}${"z".repeat(574)}`;

/** Keys, and how the page shows them. */
const HOSTILE: [key: string, seen: string][] = [
  [`<img src=x onerror="alert(1)">`, `<img src=x onerror="alert(1)">`],
  ["</script><script>alert(1)</script>", "</script><script>alert(1)</script>"],
  ["javascript:alert(1)//%00/../#/key", "javascript:alert(1)//%00/../#/key"],
  ["__proto__", "__proto__"],
  [`ada${RLO}81:12 litnu`, "adaU+202E81:12 litnu"],
  ["a\u0000\u001b[31m\n", "aU+0000U+001B[31mU+000A"],
  ["   ", "space×3"],
  ["a\u200bda", "aU+200Bda"],
  ["שלום", "שלום"],
  [LONG, `${LONG.slice(0, 50)}… 954 more …${LONG.slice(-20)}`],
];

/** The font and colour of the innermost element of a text. */
const look = (text: Locator) =>
  text.evaluate((element) => {
    let inner: Element = element;
    while (inner.firstElementChild !== null) inner = inner.firstElementChild;
    const { fontStyle, fontFamily, color } = getComputedStyle(inner);
    return { fontStyle, fontFamily, color };
  });

const isInSight = async (page: Page, element: Locator) => {
  const box = (await element.boundingBox())!;
  const { width, height } = page.viewportSize()!;
  return (
    box.x >= 0 &&
    box.y >= 0 &&
    box.x + box.width <= width &&
    box.y + box.height <= height
  );
};

test("a key is shown with the name that the app gives it", async ({
  open,
  call,
}) => {
  await call("take", { name: "sendMessage", key: ADA });
  const { page } = await open("#/sendMessage");
  const seen = `${ADA} (Ada Lovelace)`;
  await page.getByRole("link", { name: seen, exact: true }).click();
  await page.getByRole("heading", { name: seen, exact: true }).waitFor();
});

test("hostile keys and notes are shown escaped, run nowhere and do not widen the page", async ({
  open,
  call,
}) => {
  for (const [key] of HOSTILE) {
    for (let i = 0; i < 4; i++)
      await call("take", { name: "sendMessage", key });
  }
  const { page, problems } = await open("#/sendMessage", {
    viewport: { width: 390, height: 800 },
  });
  for (const [key, seen] of HOSTILE) {
    await page.getByRole("link", { name: seen, exact: true }).click();
    await page.getByRole("heading", { name: seen, exact: true }).waitFor();
    await button(page, "Ban").click();
    // The field drops line breaks.
    await page.getByLabel("Note").fill(`by ${key.slice(0, 290)}`);
    await page
      .getByText(`Denies every request of ${seen} on sendMessage, until`)
      .waitFor();
    await page.getByLabel("Note").press("Enter");
    await page.getByText(`Done: ${seen} is banned until`).waitFor();
    expect(await overhang(page)).toBe(0);
    expect(await page.title()).not.toMatch(/\p{Cc}|[\u200b\u202e]/u);
    await page.getByRole("link", { name: "sendMessage" }).click();
  }
  for (const [key, seen] of HOSTILE) {
    const hash = `#find/${encodeURIComponent(key)}`;
    await page.goto(page.url().replace(/#.*/, hash));
    const name = `${seen} in all limits`;
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await row(page, "sendMessage").getByText("denied 1 time").waitFor();
    expect(await overhang(page)).toBe(0);
    expect(await page.title()).not.toMatch(/\p{Cc}|[\u200b\u202e]/u);
  }
  await page.goto(page.url().replace(/#.*/, "#/sendMessage"));
  for (const view of ["Overrides", "Denials"]) {
    await page.getByRole("link", { name: view }).click();
    await page.getByRole("link", { name: HOSTILE[4]![1] }).waitFor();
    expect(await overhang(page)).toBe(0);
  }
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("no key reverses the order of the words around it", async ({ open }) => {
  const keys = [`ada${RLO}81:12 litnu`, "שלום", "ada\u2067", "\u202eada"];
  for (const key of keys) {
    const hash = `#/sendMessage/key/${encodeURIComponent(key)}`;
    const { page } = await open(hash);
    await button(page, "Ban").click();
    const sentence = page.locator(".sentence");
    const xOf = (words: string) =>
      sentence.evaluate((element, words) => {
        const walker = document.createTreeWalker(element, 4);
        let found = NaN;
        while (walker.nextNode()) {
          const node = walker.currentNode as Text;
          const at = node.data.indexOf(words);
          if (at < 0) continue;
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + words.length);
          found = range.getBoundingClientRect().left;
        }
        return found;
      }, words);
    expect(await xOf("Denies")).toBeLessThan(await xOf(" on "));
    expect(await xOf(" on ")).toBeLessThan(await xOf("until"));
  }
});

test("a key named like a placeholder does not look like it", async ({
  open,
  call,
}) => {
  for (const key of [undefined, "", "all callers", "(empty key)"]) {
    for (let i = 0; i < 4; i++)
      await call("take", { name: "sendMessage", key });
  }
  const { page } = await open("#/sendMessage");
  for (const name of ["all callers", "(empty key)"]) {
    const links = page.getByRole("link", { name, exact: true });
    await links.nth(1).waitFor();
    expect(await look(links.nth(0))).not.toEqual(await look(links.nth(1)));
    const real = page.locator("a.key", { has: page.locator(".name") });
    await real.filter({ hasText: name }).click();
    await page.getByRole("heading", { name, exact: true }).waitFor();
    await expect.poll(() => page.title()).toContain(`“${name}”`);
    await page.goBack();
  }
});

test("a limit with an empty name can be opened", async ({ open, call }) => {
  await call("take", { name: "", key: "ada" });
  const { page, problems } = await open();
  await page.getByRole("link", { name: "(empty name)" }).click();
  await row(page, "ada").waitFor();
  await page.getByRole("link", { name: "Denials" }).click();
  await page.getByText("are not counted").waitFor();
  await page.getByRole("link", { name: "Overrides" }).click();
  await page.getByText("No bans and no exceptions").waitFor();
  await page.getByRole("link", { name: "Whole limit" }).click();
  await page.getByText("Calls without a key").waitFor();
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("link", { name: "ada" }).click();
  await page.getByText("of 5").waitFor();
  await page.getByRole("link", { name: "(empty name)" }).click();
  await row(page, "ada").waitFor();
  expect(problems).toEqual([]);
});

test("limits that only calls name may have hostile names and keys", async ({
  open,
  call,
}) => {
  for (const [name] of HOSTILE) {
    await call("takeOfPlan", { name, key: name });
  }
  const { page, problems } = await open("", {
    viewport: { width: 390, height: 800 },
  });
  for (const [, seen] of HOSTILE) {
    await page.getByRole("link", { name: seen, exact: true }).click();
    await page.getByRole("heading", { name: seen, exact: true }).waitFor();
    const key = page.getByRole("list", { name: "Keys in use" });
    await key.getByText("499 as stored").waitFor();
    expect(await key.locator(".name").innerText()).toBe(seen);
    expect(await overhang(page)).toBe(0);
    await page.goBack();
  }
  expect(await overhang(page)).toBe(0);
  expect(await violations(page)).toEqual([]);
  expect(await page.locator("main img, main script").count()).toBe(0);
  expect(problems).toEqual([]);
});

test("long keys and notes leave a question and its answers in sight", async ({
  open,
  call,
}) => {
  const key = LONG;
  await call("take", { name: "sendMessage", key });
  const hash = `#/sendMessage/key/${encodeURIComponent(key)}`;
  const { page } = await open(hash, { viewport: { width: 390, height: 640 } });
  const title = page.getByRole("heading", { level: 1 });
  const folded = (await title.boundingBox())!.height;
  expect(folded).toBeLessThan(200);
  await button(page, "Show all of it").click();
  expect(await title.textContent()).toBe(key);
  await button(page, "Show less").click();
  expect((await title.boundingBox())!.height).toBe(folded);

  const dialog = page.getByRole("dialog");
  // The longest note, as it is shown.
  const note = "\u202e\u200b".repeat(150);
  for (const action of [
    "Ban",
    "Change rate or capacity",
    "Ban, longer each time",
  ]) {
    await button(page, action).click();
    if (action.startsWith("Change")) await page.getByLabel("Rate").fill("7");
    await page.getByLabel("Note").fill(note);
    await page.getByLabel("Note").press("Enter");
    // It replaces the ban, which also has an end.
    if (action.startsWith("Change")) {
      await dialog.getByRole("button").first().click();
    }
    await page.getByText("Done:").waitFor();
  }
  await button(page, "Clear overrides").click();
  await button(page, "Clear overrides").last().click();
  await dialog.waitFor();
  await page.screenshot({ path: pictureOf("dashboard-question-long") });
  expect(await isInSight(page, dialog.getByRole("heading"))).toBe(true);
  for (const answer of await dialog.getByRole("button").all()) {
    expect(await isInSight(page, answer)).toBe(true);
  }
});

test("the text of a row stays within the row", async ({
  open,
  call,
  useKeys,
}) => {
  await call("take", { name: "llmTokens", key: "org_1", count: 1 });
  await useKeys(["ada"], "invite");
  const { page } = await open("#/invite/all");
  await button(page, "Ban").click();
  await button(page, "Ban").last().click();
  await page.getByText("Done:").waitFor();
  for (const limit of ["Keys", "llmTokens"]) {
    if (limit === "llmTokens") {
      await page.goto(page.url().replace(/#.*/, "#/llmTokens"));
    } else await page.getByRole("link", { name: limit, exact: true }).click();
    await page.locator(".keys li").first().waitFor();
    const past = await page.locator(".keys li > *").evaluateAll((cells) =>
      cells.map((cell) => {
        const { right } = cell.parentElement!.getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(cell);
        const text = range.getBoundingClientRect();
        const own = cell.getBoundingClientRect();
        return Math.max(text.right - right, text.right - own.right - 1);
      }),
    );
    expect(past.filter((px) => px > 0)).toEqual([]);
  }
});

describe.for([1280, 390])("in forced colours, %d wide", (width) => {
  test("the current tab, the chosen order and the bar of a key can be seen", async ({
    open,
    call,
  }) => {
    for (let i = 0; i < 2; i++)
      await call("take", { name: "sendMessage", key: "ada" });
    const { page } = await open("#/sendMessage", {
      forcedColors: "active",
      viewport: { width, height: 800 },
    });
    await row(page, "ada").waitFor();
    const color = (element: Locator, property: string) =>
      element.evaluate(
        (element, property) =>
          getComputedStyle(element).getPropertyValue(property),
        property,
      );
    const tabs = page.locator(".tabs a");
    const [current, other] = await Promise.all(
      [0, 1].map((i) => color(tabs.nth(i), "border-bottom-color")),
    );
    expect(current).not.toBe(other);
    const [chosen, open_] = await Promise.all(
      [0, 1].map((i) =>
        color(page.locator(".choice span").nth(i), "background-color"),
      ),
    );
    expect(chosen).not.toBe(open_);
    const bar = page.locator(".bar").first();
    expect(await color(bar.locator("i"), "background-color")).not.toBe(
      await color(bar, "background-color"),
    );
    await page.screenshot({ path: pictureOf(`dashboard-forced-${width}`) });
    await page.getByRole("link", { name: "Denials" }).click();
    await page.locator(".swatch").first().waitFor();
    const swatches = await Promise.all(
      [0, 1].map((i) =>
        color(page.locator(".swatch").nth(i), "background-color"),
      ),
    );
    expect(swatches[0]).not.toBe(swatches[1]);
    await page.screenshot({
      path: pictureOf(`dashboard-forced-${width}-denials`),
    });
    await page.goto(page.url().replace(/#.*/, "#/sendMessage/key/ada"));
    await button(page, "Change rate or capacity").click();
    await page.getByLabel("Rate").fill("60");
    await page.getByText("Then: 60 a minute").waitFor();
    await page.screenshot({
      path: pictureOf(`dashboard-forced-${width}-change`),
      fullPage: true,
    });
    expect(await violations(page)).toEqual([]);
  });
});
