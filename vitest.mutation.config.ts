import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** The tests that a mutant of src/core or src/component has to survive: those that take no seconds each. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: [
        "src/{core,component,client,helpers}/**/*.test.ts",
        "example/convex/**/*.test.ts",
        "bench/{deployment,oracle,vacuum}.test.ts",
      ],
      setupFiles: ["./test/seed.ts"],
      env: { REACT_MAJOR: "19" },
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
