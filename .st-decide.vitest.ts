import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";
export default mergeConfig(
  viteConfig,
  defineConfig({
    root: process.cwd(),
    test: {
      include: ["test/core/**/*.test.ts"],
      setupFiles: ["./test/seed.ts"],
      testTimeout: 60000,
      isolate: false,
      env: { FC_TIMES: "0.1", FC_SHRINK: "no" },
      server: {
        deps: {
          inline: [
            "convex-test",
            "@convex-dev/rate-limiter",
            "@convex-dev/batch-worker",
          ],
        },
      },
    },
  }),
);
