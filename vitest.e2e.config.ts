import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** The pages of the demo, of the example and of the dashboard in a real browser. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: ["{demo,example,dashboard,docs}/e2e/**/*.test.ts"],
      globalSetup: ["test/browser/globalSetup.ts"],
      // Much of a test is waiting. The files of one worker share a server and a browser.
      maxWorkers: 2,
      isolate: false,
      maxConcurrency: 4,
      // Only so that none waits for ever: on a slow machine one takes minutes.
      testTimeout: 300_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 60_000, interval: 50 } },
    },
  }),
);
