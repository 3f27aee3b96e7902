import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** The app in `test/app` on a real deployment, by CONVEX_URL, or on the embedded server. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: ["test/deployment/**/*.test.ts"],
      globalSetup: ["test/deployment/globalSetup.ts"],
      testTimeout: 60_000,
      hookTimeout: 60_000,
    },
  }),
);
