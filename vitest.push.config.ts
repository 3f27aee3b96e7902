import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** What Convex's command would push, evaluated as a deployment would. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: ["test/push/**/*.test.ts"],
      // For vm.SourceTextModule.
      execArgv: ["--experimental-vm-modules", "--no-warnings"],
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
  }),
);
