import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vitest/config";
import viteConfig from "./vite.config.js";

const modules = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const react18 = modules("./test/react18/node_modules/");
const testingLibrary = modules(
  "./node_modules/@testing-library/react/dist/@testing-library/react.esm.js",
);

export default mergeConfig(
  viteConfig,
  defineConfig({
    test: {
      // Each of these has its own config: they want a browser, a package or a deployment.
      exclude: ["**/node_modules/**", "test/{deployment,package,push}/**"],
      setupFiles: [
        "./test/support/clock.ts",
        "./test/support/seed.ts",
        "./test/support/cacheValidators.ts",
      ],
      // A busy machine is no failure.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // A title is printed whole.
      chaiConfig: { truncateThreshold: 0 },
      // A run says what fails, and no more.
      reporters: ["minimal"],
      pool: "threads",
      // Each test puts back what it changes, and so files can share what they import.
      isolate: false,
      maxWorkers: "100%",
      projects: [
        {
          extends: true,
          test: {
            name: "main",
            include: ["test/**/*.test.ts", "embedded/test/**/*.test.ts"],
            typecheck: { include: ["test/**/*.test-d.ts"] },
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
        },
        {
          // What runs in a browser. A group of its own: a worker has a DOM, or it has none.
          extends: true,
          test: {
            name: "react 19",
            environment: "happy-dom",
            env: { REACT_MAJOR: "19" },
            include: ["test/**/*.test.tsx"],
            sequence: { groupOrder: 1 },
          },
        },
        {
          // The hooks again, on the oldest React that they support.
          extends: true,
          resolve: {
            alias: [
              { find: /^(?=react(-dom)?($|\/))/, replacement: react18 },
              { find: "@testing-library/react", replacement: testingLibrary },
            ],
          },
          test: {
            name: "react 18.2",
            environment: "happy-dom",
            env: { REACT_MAJOR: "18" },
            include: ["test/react/use*.test.tsx"],
            sequence: { groupOrder: 2 },
            typecheck: { enabled: false },
            // What imports React has to run where the alias holds.
            server: { deps: { inline: ["convex", /@testing-library/] } },
          },
        },
      ],
    },
  }),
);
