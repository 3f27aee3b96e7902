// Builds the dashboard's page into the module that the package ships:
// node scripts/dashboard.mjs [--check]
// With --check it writes nothing, and fails if the module is out of date.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const MAX_GZIPPED_BYTES = 45_000;

// So that every build makes the same page, even one that a test starts.
process.env.NODE_ENV = "production";

const root = fileURLToPath(new URL("..", import.meta.url));
const file = path.join(root, "src/dashboard/_generated/page.ts");

const { output } = await build({
  configFile: path.join(root, "dashboard/vite.config.ts"),
  logLevel: "error",
  build: { write: false },
});
const only = (suffix) => {
  const files = output.filter(({ fileName }) => fileName.endsWith(suffix));
  if (files.length !== 1) throw new Error(`${files.length} files ${suffix}`);
  return files[0].code ?? files[0].source;
};
const script = only(".js").trim();
const style = only(".css").trim();
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) {
  throw new Error("The page's script or style would end its element.");
}

/** The licences of what is built into the script: each asks to go with every copy. */
function licences() {
  const ids = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = ids.map(
    (id) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id)?.[0],
  );
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => {
      const { name } = JSON.parse(
        readFileSync(path.join(folder, "package.json"), "utf8"),
      );
      const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
      if (file === undefined) throw new Error(`${name} has no licence.`);
      const text = readFileSync(path.join(folder, file), "utf8").trim();
      if (text.includes("--")) throw new Error("A comment cannot hold --.");
      return `<!-- This page contains ${name}:\n\n${text}\n-->\n`;
    })
    .join("");
}

const page = only(".html")
  .replace(/\s*<script [^>]*src=[^>]*><\/script>/, "")
  .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
  .replace("</head>", () => `${licences()}<style>${style}</style>\n  </head>`)
  .replace(
    "</body>",
    () => `<script type="module">${script}</script>\n  </body>`,
  );

const hashOf = (text) =>
  `sha256-${createHash("sha256").update(text).digest("base64")}`;
const module = `/* Written by npm run build:dashboard. */
export const page: string = ${JSON.stringify(page)};
export const scriptHash = ${JSON.stringify(hashOf(script))};
export const styleHash = ${JSON.stringify(hashOf(style))};
`;

const gzipped = gzipSync(page, { level: 9 }).byteLength;
console.log(
  `The dashboard's page: ${Buffer.byteLength(page)} bytes, ${gzipped} gzipped`,
);
if (gzipped > MAX_GZIPPED_BYTES) {
  console.error(`The page must be at most ${MAX_GZIPPED_BYTES} bytes gzipped.`);
  process.exitCode = 1;
}
if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== module) {
    console.error(
      "src/dashboard/_generated/page.ts is stale: run npm run build:dashboard",
    );
    process.exitCode = 1;
  }
} else {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, module);
}
