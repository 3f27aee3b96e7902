import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Plugin, PreviewServer, ViteDevServer } from "vite";

const PAGES = fileURLToPath(new URL("../docs", import.meta.url));
const REFERENCE = fileURLToPath(
  new URL("../scripts/reference.mjs", import.meta.url),
);
const BASE = "/site/";

/** Serves the documentation beside the page. It starts when it is first asked for. */
export function documentation(): Plugin {
  return {
    name: "documentation",
    configureServer: serve,
    configurePreviewServer: serve,
  };
}

function serve(page: ViteDevServer | PreviewServer): void {
  let site: Promise<ViteDevServer> | undefined;
  page.middlewares.use((request, response, next) => {
    if (request.url?.startsWith(BASE) !== true) return next();
    site ??= start(page);
    site.then(({ middlewares }) => {
      middlewares(request, response, next);
    }, next);
  });
  page.httpServer?.once("close", () => void site?.then((it) => it.close()));
}

async function start({ httpServer }: ViteDevServer | PreviewServer) {
  await promisify(execFile)(process.execPath, [REFERENCE]);
  const { createServer } = await import("vitepress");
  return createServer(PAGES, {
    base: BASE,
    middlewareMode: true,
    ...(httpServer !== null && { hmr: { server: httpServer } }),
  });
}
