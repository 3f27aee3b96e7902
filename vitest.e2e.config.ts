import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** The example's page in a real browser. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: ["example/e2e/**/*.test.ts"],
      fileParallelism: false,
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }),
);
