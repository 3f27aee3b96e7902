import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, createServer, preview } from "vite";
import { demoApp } from "./demoApp.js";
import {
  type EmbeddedServer,
  HOST,
  startEmbedded,
} from "../embedded/server.js";

const PAGE = fileURLToPath(new URL(".", import.meta.url));

export type Demo = {
  /** The page's address. */
  url: string;
  server: EmbeddedServer;
  close(): Promise<void>;
};

/**
 * Starts the embedded server with the example app, and the page that uses it.
 *
 * @param port - The first port to try for the page; when taken, the next ones are.
 * @param convexPort - The same for the server.
 * @param isWatched - Whether open pages follow edits of the page's files. They then reload
 * after a restart too, and forget what they have not sent yet.
 * @param onCron - Called with the name of a cron's function whenever it has run.
 */
export async function startDemo({
  port = 5173,
  convexPort = 3210,
  isWatched = false,
  onCron,
}: {
  port?: number;
  convexPort?: number;
  isWatched?: boolean;
  onCron?: (name: string) => void;
} = {}): Promise<Demo> {
  const server = await startEmbedded({
    app: demoApp,
    port: convexPort,
    onCron,
  });
  try {
    const page = await (isWatched ? watchPage : servePage)(server.url, port);
    return {
      url: page.url ?? `http://${HOST}:${port}/`,
      server,
      close: async () => {
        await page.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

type Page = { url: string | undefined; close(): Promise<void> };

const configFor = (convexUrl: string) => ({
  root: PAGE,
  configFile: `${PAGE}vite.config.ts`,
  define: { "import.meta.env.VITE_CONVEX_URL": JSON.stringify(convexUrl) },
  logLevel: "warn" as const,
});

const placeFor = (port: number) => ({ host: HOST, port, strictPort: false });

/** Builds the page once: what is open has no tie to this process but Convex's client. */
async function servePage(convexUrl: string, port: number): Promise<Page> {
  const outDir = await mkdtemp(join(tmpdir(), "demo-page-"));
  const removeFiles = () => {
    rmSync(outDir, { recursive: true, force: true });
    process.off("exit", removeFiles);
  };
  // Vite ends the process by itself when it is told to stop.
  process.on("exit", removeFiles);
  try {
    const config = configFor(convexUrl);
    await build({ ...config, build: { outDir, emptyOutDir: true } });
    const page = await preview({
      ...config,
      build: { outDir },
      preview: placeFor(port),
    });
    const close = async () => {
      await page.close();
      removeFiles();
    };
    return { url: page.resolvedUrls?.local[0], close };
  } catch (error) {
    removeFiles();
    throw error;
  }
}

async function watchPage(convexUrl: string, port: number): Promise<Page> {
  const page = await createServer({
    ...configFor(convexUrl),
    server: placeFor(port),
  });
  await page.listen();
  return {
    url: page.resolvedUrls?.local[0],
    close: () => page.close(),
  };
}
