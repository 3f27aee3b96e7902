import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import {
  browsing,
  isSkipped,
  type Person,
} from "../../test/browser/browser.js";
import { type Demo, startDemo } from "../startDemo.js";
import { button, lane } from "./parts.js";

/** A person whose tabs share one session of their own. */
type Visitor = Person & {
  /** Opens the page in a new tab, ready for use. */
  openTab: () => Promise<Page>;
};

export type Visit = (
  options?: BrowserContextOptions & { demo?: Demo },
) => Promise<Visitor>;

type Fixtures = {
  /** Any that are free. */
  ports: { port: number; convexPort: number };
  /** One server for all tests: each visitor has limits of their own. */
  demo: Demo;
  visit: Visit;
  /** The only tab of a visitor. The test fails if it has problems. */
  page: Page;
};

const visiting = browsing.extend<Fixtures>({
  ports: [{ port: 0, convexPort: 0 }, { scope: "worker" }],
  demo: [
    async ({ ports }, use) => {
      const demo = await startDemo(ports);
      await use(demo);
      await demo.close();
    },
    { scope: "worker" },
  ],
  visit: ({ letIn, demo }, use) =>
    use(async ({ demo: other = demo, ...options } = {}) =>
      visitorOf(await letIn(options), other.url),
    ),
  page: async ({ visit }, use) => {
    const { openTab, problems } = await visit();
    await use(await openTab());
    expect(problems).toEqual([]);
  },
});

/** A test with the running demo; skipped where there is no browser. */
export const testAlone = visiting.skipIf(isSkipped);

/** The same, in parallel with others of its file: tests mostly wait for tokens. */
export const test = testAlone.concurrent;

/** Opens a tab whose clock the test controls. It knows the server's time. */
export async function openOnClock({
  context,
  openTab,
}: Visitor): Promise<Page> {
  await context.clock.install();
  const page = await openTab();
  // The server is asked for its time in the first seconds, and answers in order: when this
  // answer is there the others are too.
  await page.clock.runFor(5000);
  await button(page, "Start over").first().click();
  for (const title of ["Token bucket", "Fixed window"] as const) {
    await lane(page, title).card.getByText("Full again.").waitFor();
  }
  return page;
}

function visitorOf({ context, problems }: Person, url: string): Visitor {
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
