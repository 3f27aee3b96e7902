import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, createServer, preview } from "vite";
import { HOST, type EmbeddedServer } from "./server.js";

type Page = { url: string; close(): Promise<void> };

type Options = {
  /** The page's folder, which has a `vite.config.ts`. */
  root: string;
  /** What the page finds as `VITE_CONVEX_URL`. */
  convexUrl: string;
  /** The first port to try; if it is taken, the next ones are tried. */
  port: number;
};

/**
 * Serves a page along with the server that it uses. `close` ends both.
 *
 * @param isWatched - Whether open pages follow edits of the page's files. They then reload after a
 * restart too, and forget what they have not sent yet.
 */
export async function withPage(
  server: EmbeddedServer,
  { isWatched, ...place }: Omit<Options, "convexUrl"> & { isWatched: boolean },
) {
  try {
    const options = { ...place, convexUrl: server.url };
    const page = await (isWatched ? watchPage(options) : servePage(options));
    const close = async () => {
      await page.close();
      await server.close();
    };
    return { url: page.url, server, close };
  } catch (error) {
    await server.close();
    throw error;
  }
}

const configFor = ({ root, convexUrl }: Options) => ({
  root,
  configFile: join(root, "vite.config.ts"),
  define: { "import.meta.env.VITE_CONVEX_URL": JSON.stringify(convexUrl) },
  logLevel: "warn" as const,
});

const placeFor = (port: number) => ({ host: HOST, port, strictPort: false });

/** Builds the page once. Open pages are tied to this process only by Convex's client. */
async function servePage(options: Options): Promise<Page> {
  const outDir = await mkdtemp(join(tmpdir(), "page-"));
  const removeFiles = () => {
    rmSync(outDir, { recursive: true, force: true });
    process.off("exit", removeFiles);
  };
  // On a signal, Vite itself ends the process.
  process.on("exit", removeFiles);
  try {
    const config = configFor(options);
    await build({ ...config, build: { outDir, emptyOutDir: true } });
    const page = await preview({
      ...config,
      build: { outDir },
      preview: placeFor(options.port),
    });
    const close = async () => {
      await page.close();
      removeFiles();
    };
    return { url: addressOf(page), close };
  } catch (error) {
    removeFiles();
    throw error;
  }
}

async function watchPage(options: Options): Promise<Page> {
  const page = await createServer({
    ...configFor(options),
    server: placeFor(options.port),
  });
  await page.listen();
  return { url: addressOf(page), close: () => page.close() };
}

function addressOf(page: { resolvedUrls: { local: string[] } | null }): string {
  const [url] = page.resolvedUrls?.local ?? [];
  if (url === undefined) throw new Error("The page has no address.");
  return url;
}
