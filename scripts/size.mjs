// Prints what a page loads: node scripts/size.mjs [--page]
// The hooks minified by Vite and by esbuild, without React and Convex, which the page has anyway;
// fails if either gives more than 3.5 kB gzipped. With --page also the demo page, with everything.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { build } from "vite";

const MAX_GZIPPED_BYTES = 3500;

const gzipped = (code) => gzipSync(code, { level: 9 }).byteLength;

const root = fileURLToPath(new URL("..", import.meta.url));
const ENTRY = "src/react/index.ts";

async function withVite() {
  const { output } = await build({
    configFile: false,
    root,
    logLevel: "error",
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: {
        input: ENTRY,
        preserveEntrySignatures: "strict",
        external: [/^react($|\/)/, /^convex\//],
      },
    },
  });
  return output[0].code;
}

async function withEsbuild() {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    bundle: true,
    minify: true,
    format: "esm",
    external: ["react", "convex/*"],
    write: false,
  });
  return outputFiles[0].text;
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

for (const [bundler, code] of [
  ["Vite", await withVite()],
  ["esbuild", await withEsbuild()],
]) {
  console.log(
    `convex-rate-limiter/react by ${bundler}: ${Buffer.byteLength(code)} bytes minified, ${gzipped(code)} gzipped`,
  );
  if (gzipped(code) > MAX_GZIPPED_BYTES) {
    console.error(
      `The hooks must be at most ${MAX_GZIPPED_BYTES} bytes gzipped.`,
    );
    process.exitCode = 1;
  }
}
if (process.argv.includes("--page")) {
  for (const { fileName, code, source } of await buildPage()) {
    console.log(`${fileName}: ${gzipped(code ?? source)} bytes gzipped`);
  }
}
