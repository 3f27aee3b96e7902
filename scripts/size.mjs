// Prints what a page loads: node scripts/size.mjs [--page]
// The hooks minified, without React and Convex, which the page has anyway; fails over
// 3.3 kB gzipped. With --page also the demo page, with everything.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const MAX_GZIPPED_BYTES = 3300;

const gzipped = (code) => gzipSync(code, { level: 9 }).byteLength;

async function buildHooks() {
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
  return output[0].code;
}

async function buildPage() {
  const { output } = await build({
    configFile: fileURLToPath(
      new URL("../demo/vite.config.ts", import.meta.url),
    ),
    logLevel: "error",
    build: { write: false },
  });
  return output.filter(({ fileName }) => /\.(js|css)$/.test(fileName));
}

const hooks = await buildHooks();
console.log(
  `convex-rate-limiter/react: ${Buffer.byteLength(hooks)} bytes minified, ${gzipped(hooks)} gzipped`,
);
if (gzipped(hooks) > MAX_GZIPPED_BYTES) {
  console.error(
    `The hooks must be at most ${MAX_GZIPPED_BYTES} bytes gzipped.`,
  );
  process.exitCode = 1;
}
if (process.argv.includes("--page")) {
  for (const { fileName, code, source } of await buildPage()) {
    console.log(`${fileName}: ${gzipped(code ?? source)} bytes gzipped`);
  }
}
