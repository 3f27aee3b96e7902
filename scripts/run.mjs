// Runs a TypeScript file under Vite: node scripts/run.mjs FILE [ARGUMENT ...]
// The file sees its arguments in process.argv from index 2 on.
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
  console.error(error);
  process.exitCode = 1;
}
