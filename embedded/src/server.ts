import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import type { App } from "./app.js";
import { Backend } from "./backend.js";
import { anonymousCaller } from "./caller.js";
import { serveHttp } from "./http.js";
import { Sessions } from "./sessions.js";
import { serveSync } from "./sync.js";

export const HOST = "127.0.0.1";
const SYNC_PATH = /^\/api\/[^/]+\/sync$/;

export type EmbeddedServer = {
  /** For clients: the value of `VITE_CONVEX_URL`. */
  url: string;
  /** For HTTP actions. The same origin here; on a deployment a separate one (`.convex.site`). */
  siteUrl: string;
  /** Cuts every client's WebSocket, as a failing network would. They reconnect. */
  dropConnections(): void;
  close(): Promise<void>;
};

/**
 * Serves a Convex app from this process's memory.
 *
 * @param port - The first port to try; if it is taken, the next ones are tried. 0 lets the system
 * choose.
 * @param onCron - Called with the name of a cron's function whenever it has run.
 */
export async function startEmbedded({
  app,
  port,
  onCron,
}: {
  app: App;
  port: number;
  onCron?: (name: string) => void;
}): Promise<EmbeddedServer> {
  const backend = await Backend.start(app, onCron);
  const server = createServer((request, response) => {
    void serveHttp(backend, request, response);
  });
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Sessions();
  server.on("upgrade", (request, socket, head) => {
    if (!SYNC_PATH.test(request.url ?? "")) {
      socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serveSync(webSocket, backend, sessions, anonymousCaller(request));
    });
  });

  await listen(server, port);
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  const dropConnections = () => {
    for (const socket of sockets.clients) socket.terminate();
  };
  return {
    url,
    siteUrl: url,
    dropConnections,
    close: async () => {
      backend.close();
      dropConnections();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  for (let candidate = port; ; candidate++) {
    try {
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(candidate, HOST, () => {
          server.off("error", reject);
          resolve();
        });
      });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}
