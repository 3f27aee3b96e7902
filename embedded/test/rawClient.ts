import { WebSocket } from "ws";
import type { ServerMessage } from "../src/protocol.js";

/** A WebSocket that sends and receives the protocol's messages, whatever they are. */
export async function rawClient({ url }: { url: string }, sessionId?: string) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/api/1.48.0/sync`);
  const unread: ServerMessage[] = [];
  let wake = () => {};
  socket.on("message", (data: Buffer) => {
    unread.push(JSON.parse(data.toString()) as ServerMessage);
    wake();
  });
  const closed = new Promise<number>((resolve) => socket.on("close", resolve));
  await new Promise((resolve) => socket.on("open", resolve));
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  if (sessionId !== undefined) send({ type: "Connect", sessionId });

  const receive = async <Type extends ServerMessage["type"]>(type: Type) => {
    for (;;) {
      const message = unread.shift();
      if (message?.type === type) {
        return message as Extract<ServerMessage, { type: Type }>;
      }
      if (message === undefined) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  };
  return { send, receive, closed };
}
