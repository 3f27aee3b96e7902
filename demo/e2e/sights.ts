import type { BrowserContextOptions } from "playwright-core";

/** How the page may be looked at. */
export const SIGHTS = {
  "light and wide": {
    colorScheme: "light",
    viewport: { width: 1280, height: 800 },
  },
  "dark and wide": {
    colorScheme: "dark",
    viewport: { width: 1280, height: 800 },
  },
  "light and narrow": {
    colorScheme: "light",
    viewport: { width: 360, height: 740 },
  },
  "dark and narrow": {
    colorScheme: "dark",
    viewport: { width: 360, height: 740 },
  },
} satisfies Record<string, BrowserContextOptions>;

export type Sight = keyof typeof SIGHTS;
export const sights = Object.keys(SIGHTS) as Sight[];
