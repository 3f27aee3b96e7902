import { createServer, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { App } from "./app.js";
import { Backend } from "./backend.js";
import { anonymousCaller, isLocal } from "./caller.js";
import { serveHttp } from "./http.js";
import { MAX_BYTES } from "./parse.js";
import { Sessions } from "./sessions.js";
import { serveSync } from "./sync.js";

export const HOST = "127.0.0.1";
const SYNC_PATH = /^\/api\/[^/]+\/sync$/;

/** `closeTimeout` is missing in the types: after it, a client that does not go is cut off. */
const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: MAX_BYTES,
  closeTimeout: 2_000,
};

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
  const sockets = new WebSocketServer(SOCKET_OPTIONS);
  const sessions = new Sessions();
  server.on("upgrade", (request, socket, head) => {
    // From here on nobody else listens to it. Who resets a connection expects no answer.
    socket.on("error", () => socket.destroy());
    if (!isLocal(request)) return refuse(socket, 403);
    if (!SYNC_PATH.test(request.url ?? "")) return refuse(socket, 404);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serveSync(webSocket, backend, sessions, anonymousCaller(request));
    });
  });

  await listen(server, port);
  // A connection that could not be accepted, as when too many are open.
  server.on("error", (error) => console.error(error));
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

/** Answers an upgrade with an error, and closes the socket even if the client does not. */
function refuse(socket: Duplex, status: number): void {
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  socket.end(`${line}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
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
