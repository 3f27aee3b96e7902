import convexPlugin from "@convex-dev/eslint-plugin";
import js from "@eslint/js";
import { defineConfig, globalIgnores } from "eslint/config";
import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** Forbids a folder to import what matches a pattern. */
const layer = (folder, ...patterns) => ({
  files: [`${folder}/**`],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: patterns.map((pattern) => ({
          message: `${folder} may not import this: CONTRIBUTING.md says which folder may import which.`,
          ...pattern,
        })),
      },
    ],
  },
});

/** What src/state may not import. */
const outsideState = {
  regex:
    "^(\\.\\./)+(verbs|client|react|helpers|component/(?!_generated/|schema))",
};

export default defineConfig(
  globalIgnores([
    "dist",
    "demo/dist",
    "docs/.vitepress/{dist,cache}",
    // Compiled by a test, in host apps of their own.
    "demo/snippets",
    "**/_generated",
    "mutation",
    "screenshots",
  ]),
  js.configs.recommended,
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: ["eslint.config.js", "scripts/*.mjs"],
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
    },
  },
  {
    files: ["**/*.{js,mjs}"],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        Buffer: "readonly",
        URL: "readonly",
        process: "readonly",
        console: "readonly",
      },
    },
  },
  {
    files: ["src/react/**", "example/src/**", "demo/page/**"],
    extends: [reactHooks.configs.flat.recommended],
  },
  {
    files: ["src/{component,verbs}/**/*.ts", "**/convex/**/*.ts"],
    plugins: { "@convex-dev": convexPlugin },
    rules: Object.assign(
      {},
      ...convexPlugin.configs.recommended.map(({ rules }) => rules),
      // Apps can declare their environment from a later version of Convex on than this package asks for.
      { "@convex-dev/no-process-env": "off" },
    ),
  },
  layer("src/core", { regex: "^(?!\\./|convex/values$)" }),
  layer("src/component", { regex: "^\\.\\./(?!core/|verbs/)" }),
  layer("src/verbs", {
    regex: "^\\.\\./(?!core/|state/|component/(_generated/|schema))",
  }),
  layer("src/state", outsideState),
  // A spread knows no single row, and one row of a spread only when to become one.
  layer("src/state/row", outsideState, { regex: "/(one|spread|holds)/" }),
  layer("src/state/spread", outsideState, { regex: "/(one|holds)/" }),
  layer("src/state/one", outsideState, { regex: "/(holds/|spread/(?!split))" }),
  layer(
    "src/client",
    { regex: "^\\.\\./(?!core/|component/_generated/)" },
    { regex: "^\\.\\./component/", allowTypeImports: true },
  ),
  layer("src/react", { regex: "^\\.\\./(?!core/)" }),
  layer(
    "src/dashboard",
    { regex: "^\\.\\./(?!client/|core/)" },
    { regex: "^\\.\\./core/(?!checks|holdId|periods)", allowTypeImports: true },
  ),
  layer("src/helpers", { regex: "^\\.\\./(?!client/)" }),
  layer("src/better-auth", { regex: "^\\.\\./(?!client/)" }),
  layer("embedded/src", { regex: "^(\\.\\./|convex-rate-limiter)" }),
);
