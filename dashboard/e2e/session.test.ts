import { readFileSync } from "node:fs";
import type { Page, Request } from "playwright-core";
import { describe } from "vitest";
import { root } from "../../test/support/root.js";
import { LABEL, OTHER_SECRET } from "./app.js";
import {
  button,
  expect,
  row,
  signIn,
  test,
  type Fixtures,
} from "./operator.js";

type Answer = { ok: boolean };

/** Answers in place of the dashboard's server, as the platform may, `times` times. */
async function interpose(page: Page, status: number, times = Infinity) {
  let left = times;
  await page.route("**/rate-limits", async (route) => {
    if (route.request().method() !== "POST" || left-- <= 0) {
      return route.continue();
    }
    await route.fulfill({
      status,
      contentType: "application/json",
      body: JSON.stringify({ code: "Overloaded", message: "Too busy." }),
    });
  });
}

describe.for([429, 503])("a %d from the platform", (status) => {
  test("does not end the session", async ({ open, call }) => {
    await call("take", { name: "sendMessage", key: "ada" });
    const { page } = await open("#/sendMessage/key/ada");
    await page.getByText("of 3").waitFor();
    await interpose(page, status, 1);
    await page.getByText(`The server answered ${status}.`).waitFor();
    expect(await page.getByText("of 3").isVisible()).toBe(true);
    await button(page, "Try again").click();
    await button(page, "Try again").waitFor({ state: "detached" });
    expect(await page.getByLabel("Secret").count()).toBe(0);
  });

  test("in reply to a search removes the previous list", async ({
    open,
    call,
  }) => {
    await call("take", { name: "sendMessage", key: "ada" });
    const { page } = await open("#/sendMessage");
    await row(page, "ada").waitFor();
    await interpose(page, status);
    await page.getByLabel("Find a key").fill("bob");
    await page.getByText(`The server answered ${status}.`).waitFor();
    await row(page, "ada").waitFor({ state: "detached" });
    await page.unrouteAll();
    await button(page, "Try again").click();
    await page.getByText("No key in use begins with “bob”.").waitFor();
  });

  test("in reply to an action keeps its form, to try again", async ({
    open,
    call,
  }) => {
    const { page } = await open("#/sendMessage/key/ada");
    await button(page, "Ban").click();
    await page.getByLabel("For").selectOption("1 day");
    await page.getByLabel("Note").fill("Spam wave");
    await interpose(page, status);
    await button(page, "Ban").last().click();
    await page
      .getByRole("alert")
      .getByText(`The server answered ${status}. Try again`)
      .waitFor();
    expect(await page.getByLabel("Note").inputValue()).toBe("Spam wave");
    expect(await page.getByLabel("For").inputValue()).toBe("86400000");
    await page.unrouteAll();
    await button(page, "Ban").last().click();
    await page.getByText("Done: ada is banned until").waitFor();
    expect(
      await call<Answer>("take", { name: "sendMessage", key: "ada" }),
    ).toMatchObject({ ok: false });
  });

  test("in reply to a secret does not call it wrong", async ({ open }) => {
    const { page } = await open("", { isSignedIn: false });
    await interpose(page, status, 1);
    await page.getByLabel("Secret").fill("whatever it may be");
    await page.keyboard.press("Enter");
    await page.getByText(`The server answered ${status}. Try again.`).waitFor();
    await signIn(page);
  });
});

test("a session belongs to its path: its secret is not sent to another dashboard", async ({
  open,
  server,
}) => {
  const { page } = await open();
  const sent: (string | undefined)[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST") {
      sent.push(request.headers()["authorization"]);
    }
  });
  await page.goto(`${server.siteUrl}/ops`);
  await page.getByLabel("Secret").waitFor();
  expect(sent).toEqual([]);
  await signIn(page, OTHER_SECRET);
  expect(new Set(sent)).toEqual(new Set([`Bearer ${OTHER_SECRET}`]));
  // With and without its slash, each is still signed in.
  for (const path of ["/rate-limits", "/ops/", "/rate-limits/"]) {
    await page.goto(`${server.siteUrl}${path}`);
    await page.getByRole("link", { name: "sendMessage" }).waitFor();
  }
});

test("a ban whose answer was lost is not longer when it is tried again", async ({
  open,
  call,
}) => {
  const { page } = await open("#/sendMessage/key/ada");
  await button(page, "Ban, longer each time").click();
  const sent: string[] = [];
  let isLost = true;
  await page.route("**/rate-limits", async (route) => {
    const body = route.request().postData() ?? "";
    if (!body.includes("penalize")) return route.continue();
    sent.push(body);
    const response = await route.fetch();
    if (isLost) await route.abort();
    else await route.fulfill({ response });
    isLost = false;
  });
  const ban = button(page, "Ban, longer each time").last();
  await ban.click();
  await page.getByText("Nothing is known to have changed").waitFor();
  await ban.click();
  await page.getByText("Done: ada is banned until").waitFor();
  expect(new Set(sent).size).toBe(1);
  const taken = await call<{ retryAfter: number }>("take", {
    name: "sendMessage",
    key: "ada",
  });
  expect(taken.retryAfter).toBeLessThanOrEqual(600_000);
});

test("a session whose token storage is forbidden lasts until the page is left", async ({
  letIn,
  server,
}) => {
  const { context } = await letIn();
  await context.addInitScript(() => {
    for (const name of ["sessionStorage", "localStorage"] as const) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
    }
  });
  const page = await context.newPage();
  await page.goto(`${server.siteUrl}/rate-limits/`);
  await signIn(page);
  await page.getByRole("link", { name: "sendMessage" }).click();
  await page.getByText("No key is in use").waitFor();
  await button(page, "Sign out").click();
  await page.getByLabel("Secret").waitFor();
});

describe("a link that hands over a token", () => {
  const ADA = "ada/1+1=2 & more";
  const linkOf = (token: string) => `#token=${encodeURIComponent(token)}`;
  const limits = (page: Page) =>
    page.getByRole("link", { name: "sendMessage" });
  const operator = (page: Page) => page.locator(".operator").textContent();

  /** Opens the dashboard of an app with a sign-in of its own, as the docs say. */
  const openAdmin = async (
    { open, server }: Pick<Fixtures, "open" | "server">,
    token?: string,
  ) => {
    const { page } = await open("", { isSignedIn: false });
    const requests: Request[] = [];
    page.on("request", (request) => requests.push(request));
    await page.goto("about:blank");
    await page.goto(`${server.siteUrl}/admin/${token ? linkOf(token) : ""}`);
    /** All addresses that a server got, and that are in the tab's history. */
    const addresses = async () => {
      const session = await page.context().newCDPSession(page);
      const { entries } = await session.send("Page.getNavigationHistory");
      return [
        ...requests.map((request) => request.url()),
        ...requests.map((request) => request.headers()["referer"] ?? ""),
        ...entries.map(({ url }) => url),
        page.url(),
      ].map(decodeURIComponent);
    };
    return { page, addresses };
  };

  test("opens the page signed in without leaving its token in an address", async ({
    open,
    server,
  }) => {
    const docs = readFileSync(`${root}docs/dashboard.md`, "utf8");
    expect(docs).toContain("/rate-limits/#token=${encodeURIComponent(token)}");
    const { page, addresses } = await openAdmin({ open, server }, ADA);
    await limits(page).waitFor();
    expect(await operator(page)).toBe("Ada");
    expect(page.url()).toBe(`${server.siteUrl}/admin/#/`);
    expect((await addresses()).join()).not.toContain(ADA);
    await page.reload();
    await limits(page).waitFor();
    await page.goBack();
    await page.waitForURL("about:blank");
    await page.goForward();
    await limits(page).waitFor();
    expect((await addresses()).join()).not.toContain(ADA);
  });

  test("works in an open page, where Back leads to the view before", async ({
    open,
    server,
  }) => {
    const { page, addresses } = await openAdmin({ open, server });
    await page.getByLabel(LABEL, { exact: true }).waitFor();
    const follow = (token: string) =>
      page.evaluate((hash) => {
        location.hash = hash;
      }, linkOf(token));
    await follow(ADA);
    await limits(page).click();
    await page.getByText("No key is in use").waitFor();
    await follow("bob");
    await limits(page).waitFor();
    await expect.poll(() => operator(page)).toBe("Bob");
    await page.goBack();
    await page.getByText("No key is in use").waitFor();
    expect(page.url()).toBe(`${server.siteUrl}/admin/#/sendMessage`);
    expect((await addresses()).join()).not.toMatch(/token=/);
  });

  /** Keeps back the answers to this token until they are let go. */
  const keepBack = async (page: Page, token: string) => {
    let letGo = () => {};
    const gone = new Promise<void>((resolve) => (letGo = resolve));
    const asked: Promise<void>[] = [];
    await page.route("**/admin/", async (route) => {
      const bearer = route.request().headers()["authorization"];
      if (bearer !== `Bearer ${token}`) return route.continue();
      const response = await route.fetch();
      asked.push(gone.then(() => route.fulfill({ response })));
      await asked.at(-1);
    });
    return { letGo, asked };
  };

  test("gives way to a later one, although its answer arrives last", async ({
    open,
    server,
  }) => {
    const { page } = await openAdmin({ open, server });
    await page.getByLabel(LABEL, { exact: true }).waitFor();
    const { letGo, asked } = await keepBack(page, ADA);
    for (const token of [ADA, "bob"]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, linkOf(token));
    }
    await limits(page).waitFor();
    await expect.poll(() => asked.length).toBe(1);
    letGo();
    await Promise.all(asked);
    const read = page.waitForResponse("**/admin/");
    await (await read).finished();
    expect(await operator(page)).toBe("Bob");
  });

  test("begins a session that a late 401 to an action of the one before does not end", async ({
    open,
    server,
  }) => {
    const { page } = await openAdmin({ open, server }, ADA);
    await limits(page).waitFor();
    await page.goto(`${server.siteUrl}/admin/#/sendMessage/key/ada`);
    await button(page, "Reset").click();
    let letGo = () => {};
    const gone = new Promise<void>((resolve) => (letGo = resolve));
    const ended: Promise<void>[] = [];
    await page.route("**/admin/", async (route) => {
      if (!route.request().postData()?.includes("reset"))
        return route.continue();
      ended.push(gone.then(() => route.fulfill({ status: 401, body: "{}" })));
      await ended[0];
    });
    await button(page, "Reset").last().click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Reset" })
      .click();
    await expect.poll(() => ended.length).toBe(1);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, linkOf("bob"));
    await expect.poll(() => operator(page)).toBe("Bob");
    letGo();
    await Promise.all(ended);
    const read = page.waitForResponse("**/admin/");
    await (await read).finished();
    expect(await operator(page)).toBe("Bob");
  });

  test("ends no session if the token is not valid", async ({
    open,
    server,
  }) => {
    const { page, addresses } = await openAdmin({ open, server }, "mallory");
    await page.getByText("The app does not let you in.").waitFor();
    expect((await addresses()).join()).not.toContain("mallory");
    await page.getByLabel(LABEL, { exact: true }).fill(ADA);
    await page.keyboard.press("Enter");
    await limits(page).waitFor();
    for (const token of ["mallory", "", " ", "%", "no\nheader"]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, linkOf(token));
      await page.waitForURL("**/admin/#/");
      await limits(page).waitFor();
      expect(await operator(page)).toBe("Ada");
    }
  });
});

test("a ban of ten minutes lasts that long although the operator's clock jumped by an hour", async ({
  open,
  call,
}) => {
  const { page } = await open("#/sendMessage/key/ada");
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  const read = page.waitForResponse("**/rate-limits");
  await (await read).finished();
  await button(page, "Ban").click();
  await button(page, "Ban").last().click();
  await page.getByText("Done: ada is banned until").waitFor();
  const { retryAfter } = await call<Answer & { retryAfter: number }>("take", {
    name: "sendMessage",
    key: "ada",
  });
  expect(retryAfter).toBeGreaterThan(595_000);
  expect(retryAfter).toBeLessThanOrEqual(601_000);
});
