import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

/** The tests that a mutant of src/core or src/component has to survive: those of src that know the server. */
export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      include: [
        "test/{core,component,verbs,state,client,conflicts}/**/*.test.ts",
        "test/life/anyVerb.test.ts",
        "test/sim/looks.test.ts",
        "test/register.test.ts",
      ],
      // What a module weighs, or keeps between calls, is no question of mutants: they are heavier,
      // and count what covers them.
      exclude: [
        "test/{component,client}/weight.test.ts",
        "test/component/reuse.test.ts",
      ],
      // Each test asks for the validators of what it calls: who asks first would cover them for all.
      setupFiles: ["./test/support/clock.ts", "./test/support/seed.ts"],
      testTimeout: 60_000,
      // A mutant is tested in a worker of its own, so that its files can share what they import.
      isolate: false,
      // Properties run less often than in npm test: they run for each mutant. What fails is not shrunk.
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
