import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from "playwright-core";
import { test as base, expect, inject } from "vitest";
import { ARGS } from "./chromium.js";
import { type Demo, startDemo } from "../startDemo.js";

/** How long a visitor waits for anything. */
const PATIENCE_MS = 20_000;

/** Somebody with a browser of their own: their tabs share one session, which is nobody else's. */
export type Visitor = {
  context: BrowserContext;
  /** What went wrong in the tabs: errors, messages on the console, requests that failed. */
  problems: string[];
  /** Opens the page in a new tab, ready for use. */
  openTab: () => Promise<Page>;
};

export type Visit = (
  options?: BrowserContextOptions & { demo?: Demo },
) => Promise<Visitor>;

type Fixtures = {
  /** Any that are free. */
  ports: { port: number; convexPort: number };
  chromiumPath: string | undefined;
  /** One server for all tests: each visitor has limits of their own. */
  demo: Demo;
  browser: Browser;
  /** Lets visitors in, who leave after the test. */
  visit: Visit;
  /** The only tab of a visitor to whom nothing may go wrong. */
  page: Page;
};

const visiting = base.extend<Fixtures>({
  ports: [{ port: 0, convexPort: 0 }, { scope: "worker" }],
  chromiumPath: [inject("chromium"), { scope: "worker" }],
  demo: [
    async ({ ports }, use) => {
      const demo = await startDemo(ports);
      await use(demo);
      await demo.close();
    },
    { scope: "worker" },
  ],
  browser: [
    async ({ chromiumPath: executablePath }, use) => {
      const browser = await chromium.launch({ executablePath, args: ARGS });
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
  ],
  visit: async ({ browser, demo }, use) => {
    const visitors: Visitor[] = [];
    await use(async ({ demo: other, ...options } = {}) => {
      const { url } = other ?? demo;
      const visitor = visitorOf(await browser.newContext(options), url);
      visitors.push(visitor);
      return visitor;
    });
    await Promise.all(visitors.map(({ context }) => context.close()));
  },
  page: async ({ visit }, use) => {
    const { openTab, problems } = await visit();
    await use(await openTab());
    expect(problems).toEqual([]);
  },
});

const isSkipped = inject("chromium") === undefined;

/** Vitest's `test` with a browser before the running demo; skipped where there is none. */
export const testAlone = visiting.skipIf(isSkipped);

/** The same, beside the others of its file: most of a test is waiting for tokens to arrive. */
export const test = testAlone.concurrent;

function visitorOf(context: BrowserContext, url: string): Visitor {
  const problems: string[] = [];
  context.setDefaultTimeout(PATIENCE_MS);
  context.on("weberror", (error) => problems.push(String(error.error())));
  context.on("console", (message) => {
    const isProblem = ["error", "warning"].includes(message.type());
    if (isProblem && !isRefusal(message.text())) problems.push(message.text());
  });
  context.on("requestfailed", (request) => problems.push(request.url()));
  context.on("response", (response) => {
    if (response.status() >= 400) {
      problems.push(`${response.status()} ${response.url()}`);
    }
  });
  const openTab = async () => {
    const page = await context.newPage();
    try {
      await page.goto(url);
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByText("Loading").first().waitFor({ state: "hidden" });
      await page.locator(".time-chart svg").first().waitFor();
    } catch (cause) {
      const message = ["The page did not get ready.", ...problems].join("\n");
      throw new Error(message, { cause });
    }
    return page;
  };
  return { context, problems, openTab };
}

/** Convex's client logs whatever a function throws, also the answers that the page shows. */
function isRefusal(logged: string): boolean {
  return (
    logged.startsWith("[CONVEX ") &&
    /ConvexError: (RateLimited: )?Rate limit /.test(logged)
  );
}
