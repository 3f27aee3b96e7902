import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inject, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer, type RawData } from "ws";

type Message = { type: string; result?: unknown };

/**
 * The address of a line to the deployment's WebSocket, until the test ends. `pass` sees each
 * message of the server before it goes on; a connection for which it returns false is cut instead.
 */
export async function newLine(
  pass: (message: Message) => boolean | Promise<boolean>,
): Promise<string> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  server.on("connection", (client, { url }) => {
    const address = new URL(url!, inject("url").replace(/^http/, "ws"));
    const deployment = new WebSocket(address);
    const opened = once(deployment, "open");
    const cut = () => {
      client.terminate();
      deployment.terminate();
    };
    opened.catch(cut);
    for (const end of [client, deployment]) {
      end.on("error", cut);
      end.on("close", cut);
    }
    client.on("message", (data) => {
      const send = () => deployment.send(textOf(data));
      opened.then(send, cut);
    });
    // One after the other, as they were sent.
    let passed = Promise.resolve();
    deployment.on("message", (data) => {
      const text = textOf(data);
      const seen = pass(JSON.parse(text) as Message);
      passed = passed.then(async () => {
        if (await seen) client.send(text);
        else cut();
      });
    });
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** By default `ws` gives a message as a Buffer. */
const textOf = (data: RawData) => (data as Buffer).toString();
