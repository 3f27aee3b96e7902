import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const src = (path: string) =>
  fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** The package's own name leads to its sources, so that nothing has to be built before it runs here. */
export const alias = [
  {
    find: /^convex-rate-limiter\/convex\.config(\.js)?$/,
    replacement: src("component/convex.config.ts"),
  },
  {
    find: /^convex-rate-limiter\/(react|helpers|dashboard|better-auth)$/,
    replacement: src("$1/index.ts"),
  },
  { find: /^convex-rate-limiter\/test$/, replacement: src("test.ts") },
  {
    find: /^convex-rate-limiter\/_generated\/component(\.js)?$/,
    replacement: src("component/_generated/component.ts"),
  },
  { find: /^convex-rate-limiter$/, replacement: src("client/index.ts") },
];

export default defineConfig({ resolve: { alias } });
