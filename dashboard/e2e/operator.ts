import { startEmbedded, type EmbeddedServer } from "convex-embedded";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect } from "vitest";
import {
  browsing,
  isSkipped,
  type Person,
} from "../../test/browser/browser.js";
import { newApp, SECRET, type Deny, type UseKeys } from "./app.js";

/** A person who uses the dashboard. */
type Operator = Person & { page: Page };

export type Fixtures = {
  /** Each test has its own, since tests ban keys that others use. */
  running: { server: EmbeddedServer; useKeys: UseKeys; deny: Deny };
  server: EmbeddedServer;
  useKeys: UseKeys;
  deny: Deny;
  /** Opens the page, by default signed in. */
  open: (
    place?: string,
    options?: BrowserContextOptions & { isSignedIn?: boolean },
  ) => Promise<Operator>;
  /** Calls a function as one of the app's users does. */
  call: <T>(name: string, args: object) => Promise<T>;
};

/** Vitest's `test` with a browser and an app of its own; skipped where there is no browser. */
export const test = browsing
  .extend<Fixtures>({
    // Vitest wants the braces.
    // eslint-disable-next-line no-empty-pattern
    running: async ({}, use) => {
      const { app, ...told } = newApp();
      const server = await startEmbedded({ app, port: 0 });
      await use({ server, ...told });
      await server.close();
    },
    server: ({ running }, use) => use(running.server),
    useKeys: ({ running }, use) => use(running.useKeys),
    deny: ({ running }, use) => use(running.deny),
    call: async ({ server }, use) => {
      await use(async <T>(name: string, args: object) => {
        const response = await fetch(`${server.url}/api/mutation`, {
          method: "POST",
          body: JSON.stringify({ path: `calls:${name}`, args }),
        });
        const answer = (await response.json()) as
          { status: "success"; value: T } | { status: "error" };
        if (answer.status === "error") throw new Error(JSON.stringify(answer));
        return answer.value;
      });
    },
    open: ({ letIn, server }, use) =>
      use(async (place = "#/", { isSignedIn = true, ...options } = {}) => {
        const person = await letIn(options);
        const page = await person.context.newPage();
        await page.goto(`${server.siteUrl}/rate-limits${place}`);
        if (isSignedIn) await signIn(page);
        return { ...person, page };
      }),
  })
  .skipIf(isSkipped);

export async function signIn(page: Page, secret = SECRET): Promise<void> {
  await page.getByLabel("Secret").fill(secret);
  await page.keyboard.press("Enter");
  await page.getByText(/^Read at/).waitFor();
}

export const button = (within: Page | Locator, name: string | RegExp) =>
  within.getByRole("button", { name, exact: true });

/** The row of a key in a list. */
export const row = (page: Page, key: string) =>
  page
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name: key, exact: true }) });

/** How full a bar is, from 0 to 1. */
export const fullness = (page: Page): Promise<number> =>
  page
    .locator(".bar")
    .first()
    .evaluate(
      (bar) =>
        bar.firstElementChild!.getBoundingClientRect().width /
        bar.getBoundingClientRect().width,
    );

export { expect };
