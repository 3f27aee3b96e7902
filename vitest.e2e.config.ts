import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** The example's page in a real browser. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: ["demo/e2e/**/*.test.ts"],
      globalSetup: ["demo/e2e/globalSetup.ts"],
      // One worker for all files, so that they share one server and one browser.
      fileParallelism: false,
      isolate: false,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 20_000, interval: 50 } },
    },
  }),
);
