import { existsSync, readdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { serve } from "vitepress";
import { describe } from "vitest";
import {
  browsing,
  enter,
  isSkipped,
  type Person,
} from "../../test/browser/browser.js";
import { overhang, SIGHTS, violations } from "../../test/browser/looking.js";

const docs = fileURLToPath(new URL("..", import.meta.url));

const built = path.join(docs, ".vitepress/dist");
if (!existsSync(built)) {
  throw new Error("There is no site yet: npm run docs:build makes it.");
}
const pages = readdirSync(built, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".html"))
  .map((file) => file.replace(/(^|(?<=\/))index\.html$|\.html$/, ""));

const test = browsing.extend<{ port: number; site: string; reader: Person }>({
  port: [0, { scope: "worker" }],
  // One reader for all pages, since half of the time goes into loading what they share.
  reader: [
    async ({ browser }, use) => {
      // The context closes with the browser.
      await use(await enter(browser, { reducedMotion: "reduce" }));
    },
    { scope: "worker" },
  ],
  site: [
    async ({ port }, use) => {
      const { server } = await serve({ root: docs, port });
      const address = server.address() as AddressInfo;
      await use(`http://localhost:${address.port}/`);
      server.close();
    },
    { scope: "worker" },
  ],
});

/** The sights of the other pages, but as wide as most phones. */
const sights = Object.entries(SIGHTS).map(([name, sight]) => ({
  ...sight,
  name,
  width: Math.max(sight.viewport.width, 390),
}));

/** The guides. In the reference, a signature may be longer than a window is wide. */
const isGuide = (page: string) => /^(start|docs\/\w+)$/.test(page);

/** The samples that are wider than their box. */
const cutSamples = (tab: Page) =>
  tab
    .locator("pre")
    .evaluateAll((samples) =>
      samples
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    );

describe.skipIf(isSkipped).concurrent("wide and narrow, light and dark", () => {
  test.for(pages)(
    "/%s passes axe and fits its width",
    // The longest page takes a busy machine a while.
    { timeout: 360_000 },
    async (page, { site, reader, expect }) => {
      const tab = await reader.context.newPage();
      await tab.goto(site + page);
      for (const { name, colorScheme, viewport, width } of sights) {
        await tab.emulateMedia({ colorScheme });
        await tab.setViewportSize({ ...viewport, width });
        // The colours of samples do not depend on the width.
        const without = width < 640 ? ["pre"] : [];
        const found = await violations(tab, { colorScheme, without });
        expect.soft(found, name).toEqual([]);
        expect.soft(await overhang(tab), name).toBe(0);
        if (width !== 1280 || !isGuide(page)) continue;
        expect.soft(await cutSamples(tab), name).toEqual([]);
      }
      expect(reader.problems).toEqual([]);
      await tab.close();
    },
  );
});
