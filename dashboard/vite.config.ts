import { defineConfig } from "vite";
import { alias } from "../vite.config.js";

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: Infinity,
  },
});
