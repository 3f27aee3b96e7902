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
 */
export async function startDemo({
  port = 5173,
  convexPort = 3210,
}: { port?: number; convexPort?: number } = {}): Promise<Demo> {
  const server = await startEmbedded({ app: exampleApp, port: convexPort });
  try {
    const page = await servePage(server.url, port);
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
): Promise<ViteDevServer> {
  const page = await createServer({
    root: PAGE,
    configFile: `${PAGE}vite.config.ts`,
    define: { "import.meta.env.VITE_CONVEX_URL": JSON.stringify(convexUrl) },
    logLevel: "warn",
    server: { host: HOST, port, strictPort: false },
  });
  return page.listen();
}
