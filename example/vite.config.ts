import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { alias } from "../vite.config.js";

export default defineConfig({
  root: import.meta.dirname,
  // `convex dev` writes the deployment's address to the repository's .env.local.
  envDir: "..",
  plugins: [react()],
  resolve: { alias },
  // React's development build, which tests have.
  build: { chunkSizeWarningLimit: 600 },
});
