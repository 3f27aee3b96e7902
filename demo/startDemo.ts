import { fileURLToPath } from "node:url";
import { demoApp } from "./demoApp.js";
import { servePage, watchPage } from "../embedded/page.js";
import { type EmbeddedServer, startEmbedded } from "../embedded/server.js";

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
    const page = await (isWatched ? watchPage : servePage)({
      root: PAGE,
      convexUrl: server.url,
      port,
    });
    return {
      url: page.url,
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
