// Prints what a page loads for the hooks: node scripts/size.mjs
// Minified, without React and Convex, which the page has anyway. Fails over 3 kB gzipped.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const LIMIT = 3000;

const { output } = await build({
  configFile: false,
  root: fileURLToPath(new URL("..", import.meta.url)),
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
const [{ code }] = output;
const minified = Buffer.byteLength(code);
const gzipped = gzipSync(code, { level: 9 }).byteLength;
console.log(
  `convex-rate-limiter/react: ${minified} bytes minified, ${gzipped} gzipped`,
);
if (gzipped > LIMIT) {
  console.error(`The hooks must be at most ${LIMIT} bytes gzipped.`);
  process.exitCode = 1;
}
