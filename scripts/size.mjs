// Prints the sizes of what a page loads for the hooks: node scripts/size.mjs
// Minified, without React and Convex, which the page has anyway.
import { gzipSync } from "node:zlib";
import { build } from "vite";

const { output } = await build({
  configFile: false,
  logLevel: "error",
  build: {
    write: false,
    modulePreload: false,
    rolldownOptions: {
      input: "src/react/index.ts",
      preserveEntrySignatures: "strict",
      external: [/^react($|\/)/, /^convex\//],
    },
  },
});
const { code } = output[0];
const gzipped = gzipSync(code, { level: 9 }).byteLength;
console.log("convex-rate-limiter/react");
console.log(`  ${Buffer.byteLength(code)} bytes minified, ${gzipped} gzipped`);
