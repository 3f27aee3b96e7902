import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { alias } from "../vite.config.js";
import { documentation } from "./documentation.js";

export default defineConfig({
  root: import.meta.dirname,
  // `convex dev` writes the deployment's address to the repository's .env.local.
  envDir: "..",
  plugins: [react(), documentation()],
  resolve: { alias },
  build: {
    // With the library of charts, and the development build of React that tests have.
    chunkSizeWarningLimit: 900,
  },
});
