import { defineConfig } from "vitest/config";

/** The package as it is published: packed, installed and used by a host app. */
export default defineConfig({
  test: {
    include: ["test/package/**/*.test.ts"],
    // For vm.SourceTextModule.
    execArgv: ["--experimental-vm-modules", "--no-warnings"],
    server: { deps: { inline: ["convex-test"] } },
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
