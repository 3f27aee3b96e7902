import { fileURLToPath } from "node:url";
import { createServer, type ViteDevServer } from "vite";
import { exampleApp } from "./exampleApp.js";
import { type EmbeddedServer, HOST, startEmbedded } from "./server.js";

const PAGE = fileURLToPath(new URL("..", import.meta.url));

export type Demo = {
  /** The page's address. */
  url: string;
  server: EmbeddedServer;
  close(): Promise<void>;
};

/**
 * Starts the embedded server with the example app, and the page that uses it under Vite.
 *
 * @param port - The first port to try for the page; when taken, the next ones are.
 * @param convexPort - The same for the server.
 * @param isWatched - Whether open pages follow edits of the page's files.
 * @param onCron - Called with the name of a cron's function whenever it has run.
 */
export async function startDemo({
  port = 5173,
  convexPort = 3210,
  isWatched = true,
  onCron,
}: {
  port?: number;
  convexPort?: number;
  isWatched?: boolean;
  onCron?: (name: string) => void;
} = {}): Promise<Demo> {
  const server = await startEmbedded({
    app: exampleApp,
    port: convexPort,
    onCron,
  });
  try {
    const page = await servePage(server.url, port, isWatched);
    return {
      url: page.resolvedUrls?.local[0] ?? `http://${HOST}:${port}/`,
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

async function servePage(
  convexUrl: string,
  port: number,
  isWatched: boolean,
): Promise<ViteDevServer> {
  const page = await createServer({
    root: PAGE,
    configFile: `${PAGE}vite.config.ts`,
    define: { "import.meta.env.VITE_CONVEX_URL": JSON.stringify(convexUrl) },
    logLevel: "warn",
    server: {
      host: HOST,
      port,
      strictPort: false,
      watch: isWatched ? undefined : null,
    },
  });
  return page.listen();
}
