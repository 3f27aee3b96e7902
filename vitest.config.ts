import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: ["{src,example,bench,test}/**/*.test.{ts,tsx}"],
      // Each of these has its own config: they want a browser, or the registry.
      exclude: ["**/node_modules/**", "example/e2e/**", "test/package/**"],
      typecheck: { include: ["{src,example,bench,test}/**/*.test-d.ts"] },
      // convex-test runs inside the tests' own module graph, as a host app's would.
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
