// Runs a TypeScript file under Vite: node scripts/run.mjs FILE [ARGUMENT ...]
// The file sees its arguments in process.argv from index 2 on.
// If it does not take one of them, prints how it is called: the first `npm run …` in its text.
import { readFileSync } from "node:fs";
import { createServer } from "vite";

const [file, ...args] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node scripts/run.mjs FILE");
process.argv = [process.argv[0], file, ...args];

const vite = await createServer({
  appType: "custom",
  // Vite would report an error that is thrown here a second time.
  logLevel: "silent",
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true, include: [] },
});
try {
  await vite.ssrLoadModule(`/${file}`);
} catch (error) {
  vite.ssrFixStacktrace(error);
  const [usage] =
    /(?<=`)npm run [^`]+(?=`)/.exec(readFileSync(file, "utf8")) ?? [];
  const isMisused = /^ERR_PARSE_ARGS/.test(error.code);
  console.error(isMisused && usage ? `usage: ${usage}` : error);
  process.exitCode = 1;
}
