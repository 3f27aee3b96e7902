import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
} from "playwright-core";
import { test as base, inject } from "vitest";
import { ARGS } from "./chromium.js";

/** The longest wait for anything. */
const PATIENCE_MS = 60_000;

/** A person with a browser context of their own. */
export type Person = {
  context: BrowserContext;
  /** Problems in the tabs: errors, console messages, dialogs. */
  problems: string[];
};

type Fixtures = {
  chromiumPath: string | undefined;
  browser: Browser;
  /** Opens a context that is closed after the test. */
  letIn: (options?: BrowserContextOptions) => Promise<Person>;
};

/** Whether there is no browser: then each test is skipped. */
export const isSkipped = inject("chromium") === undefined;

/** Vitest's `test` with a browser. */
export const browsing = base.extend<Fixtures>({
  chromiumPath: [inject("chromium"), { scope: "worker" }],
  browser: [
    async ({ chromiumPath: executablePath }, use) => {
      const browser = await chromium.launch({ executablePath, args: ARGS });
      await use(browser);
      await browser.close();
    },
    { scope: "worker" },
  ],
  letIn: async ({ browser }, use) => {
    const people: Person[] = [];
    await use(async (options) => {
      const person = await enter(browser, options);
      people.push(person);
      return person;
    });
    await Promise.all(people.map(({ context }) => context.close()));
  },
});

/** Opens a context with an empty cache. */
export async function enter(
  browser: Browser,
  options?: BrowserContextOptions,
): Promise<Person> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  return { context, problems: problemsOf(context) };
}

function problemsOf(context: BrowserContext): string[] {
  const problems: string[] = [];
  context.on("weberror", (error) => problems.push(String(error.error())));
  context.on("dialog", (dialog) => problems.push(dialog.message()));
  context.on("console", (message) => {
    const isProblem = ["error", "warning"].includes(message.type());
    if (isProblem && !isRefusal(message.text())) problems.push(message.text());
  });
  return problems;
}

/** Convex's client logs all that a function throws, also denials that the page shows. */
function isRefusal(logged: string): boolean {
  return (
    logged.startsWith("[CONVEX ") &&
    /ConvexError: (RateLimited: )?Rate limit /.test(logged)
  );
}
