import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { ConvexHttpClient } from "convex/browser";
import {
  afterAll,
  beforeAll,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { WebSocket } from "ws";
import { table } from "../../test/support/table.js";
import { api, app } from "./fixture.js";
import { rawClient } from "./rawClient.js";
import { type EmbeddedServer, startEmbedded } from "../src/server.js";

let server: EmbeddedServer;
beforeAll(async () => {
  server = await startEmbedded({ app, port: 0 });
});
afterAll(() => server.close());

const LISTING = '{"path":"messages:list"}';

/** Whether the server goes on, and the hostile client has written nothing. */
const goesOn = async () => {
  const http = new ConvexHttpClient(server.url, { logger: false });
  expect(await http.query(api.messages.list, {})).toEqual([]);
};

describe("a message of the sync protocol closes its socket with 1008", () => {
  /** A value of each type, and numbers that are no index. */
  const VALUES = ["text", 0, [], -1, 0.5, 2 ** 32, null, {}, true, undefined];
  const [TEXT, INDEX, LIST] = VALUES;
  const call = { udfPath: TEXT, args: LIST };
  const modifying = { type: "ModifyQuerySet", baseVersion: 0, newVersion: 1 };
  const messages: Record<string, unknown>[] = [
    { type: "Connect", sessionId: TEXT },
    {
      ...modifying,
      baseVersion: INDEX,
      newVersion: INDEX,
      modifications: LIST,
    },
    { type: "Mutation", requestId: INDEX, ...call },
    { type: "Action", requestId: INDEX, ...call },
    {
      type: "Authenticate",
      tokenType: "User",
      baseVersion: INDEX,
      value: TEXT,
    },
  ];
  const changes: Record<string, unknown>[] = [
    { type: "Add", queryId: INDEX, ...call },
    { type: "Remove", queryId: INDEX },
  ];
  /** The message with each field in turn of each wrong type. */
  const wrong = (right: Record<string, unknown>) =>
    Object.entries(right).flatMap(([field, value]) =>
      VALUES.filter((other) => other !== value).map((other) => ({
        ...right,
        [field]: other,
      })),
    );
  const modified = [...changes.flatMap(wrong), 5, null, "text", []];
  const args = [[5], [null], [[]], [{}, {}]];

  test.each([
    ...messages.flatMap(wrong),
    ...modified.map((one) => ({ ...modifying, modifications: [one] })),
    ...args.map((args) => ({ ...messages[3], udfPath: "counts:add", args })),
    { ...modifying, baseVersion: 3, modifications: [] },
    [[]],
    null,
    "text",
  ])("%j", async (message) => {
    const socket = await rawClient(server, "hostile");
    socket.send(message);
    expect(await socket.closed).toBe(1008);
    await goesOn();
  });

  test.each([
    ["no JSON", "{"],
    ["more characters than a close frame holds", "é€😀".repeat(100)],
    ["nothing", ""],
    ["JSON that is deep", `${"[".repeat(1e5)}${"]".repeat(1e5)}`],
    ["an unknown type", '{"type":"toString"}'],
    ["bytes", Buffer.from('{"type":"Event"}')],
    [
      "a mutation before Connect",
      '{"type":"Mutation","requestId":0,"udfPath":"messages:send","args":[{"text":"a"}]}',
    ],
  ])("%s", async (_name, data) => {
    const socket = await open();
    socket.send(data);
    expect(await closeOf(socket)).toBe(1008);
    await goesOn();
  });
});

describe("a call is answered with an error, and the connection goes on", () => {
  const nested = (depth: number) =>
    `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  test.each([
    ["deep arguments", `[${nested(1e5)}]`],
    ["large arguments", `[{"text":5,"long":"${"x".repeat(2 ** 20)}"}]`],
    ["arguments of an unknown encoding", '[{"text":{"$bytes":5}}]'],
    ["a prototype", '[{"__proto__":{"text":"a"}}]'],
    ["none", "[]"],
  ])("%s", async (_name, args) => {
    const socket = await open();
    const answers: string[] = [];
    socket.on("message", (data: Buffer) => answers.push(data.toString()));
    socket.send('{"type":"Connect","sessionId":"a"}');
    const call = (type: string, requestId: number, path: string) =>
      `{"type":"${type}","requestId":${requestId},"udfPath":"${path}","args":${args}}`;
    socket.send(call("Mutation", 0, "messages:send"));
    socket.send(call("Action", 1, "constructor"));
    socket.send(
      `{"type":"ModifyQuerySet","baseVersion":0,"newVersion":1,"modifications":[{"type":"Add","queryId":0,"udfPath":"messages:count","args":${args}}]}`,
    );
    await expect
      .poll(() => answers.join())
      .toMatch(/MutationResponse.*"success":false/);
    await expect
      .poll(() => answers.join())
      .toMatch(/ActionResponse.*"success":false/);
    await expect.poll(() => answers.join()).toContain("QueryFailed");
    expect(socket.readyState).toBe(WebSocket.OPEN);
    await goesOn();
  });
});

describe("a frame that breaks the WebSocket protocol closes its socket", () => {
  /** A frame as a client masks it, with zeros. */
  const frame = (first: number, payload: Buffer | string) => {
    const bytes = Buffer.from(payload);
    return Buffer.concat([
      Buffer.from([first, 0x80 | bytes.length, 0, 0, 0, 0]),
      bytes,
    ]);
  };
  test.each([
    ["an unknown opcode", frame(0x83, "a"), 1002],
    ["text that is not UTF-8", frame(0x81, Buffer.from([0xff, 0xfe])), 1007],
    [
      "more than a message holds",
      Buffer.from([0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0]),
      1009,
    ],
  ])("%s", async (_name, bytes, code) => {
    const socket = await open();
    rawOf(socket).write(bytes);
    expect(await closeOf(socket)).toBe(code);
    await goesOn();
  });

  test("a client that does not answer a close is cut off", async () => {
    const socket = connect(portOf(server));
    socket.write(
      [
        "GET /api/1/sync HTTP/1.1",
        "Host: localhost",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
        "\r\n",
      ].join("\r\n"),
    );
    let answer = "";
    socket.on("data", (data) => (answer += data.toString()));
    await expect.poll(() => answer).toContain("101 Switching Protocols");
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    socket.write(frame(0x81, "nonsense"));
    await expect.poll(() => answer).toContain("not JSON");
    expect(socket.closed).toBe(false);
    const ended = once(socket, "close");
    vi.advanceTimersByTime(2_000);
    await ended;
  });
});

describe("over HTTP", () => {
  test.each(
    table(`
      no JSON                        | 400 | POST    | /api/query       | {
      no body                        | 400 | POST    | /api/query       |
      a list                         | 400 | POST    | /api/query       | []
      null                           | 400 | POST    | /api/query       | null
      no path                        | 400 | POST    | /api/query       | {}
      a path that is a number        | 400 | POST    | /api/mutation    | {"path":5}
      arguments that are a number    | 400 | POST    | /api/action      | {"path":"a","args":5}
      arguments that are null        | 400 | POST    | /api/function    | {"path":"a","args":[null]}
      a time that is a number        | 400 | POST    | /api/query_at_ts | {"path":"a","ts":5}
      a time that is short           | 400 | POST    | /api/query_at_ts | {"path":"a","ts":"AA=="}
      no time                        | 400 | POST    | /api/query_at_ts | {"path":"a"}
      an unknown path                | 404 | POST    | /api/%ff         | {}
      an unknown method              | 405 | DELETE  | /api/query       |
      TRACE                          | 405 | TRACE   | /                |
      a path of a broken encoding    | 404 | GET     | /%zz%            |
      a path of two slashes          | 404 | GET     | //               |
      no slash                       | 400 | GET     | elsewhere        |
      an asterisk                    | 400 | OPTIONS | *                |
      a whole address                | 400 | GET     | http://[         |
    `),
  )("%s gets %s", async (_name, status, method, path, body) => {
    expect(await statusOf(method, path, {}, body)).toBe(Number(status));
    await goesOn();
  });

  test.each(["/api/query", "/send"])(
    "too long a body gets 413: %s",
    async (path) => {
      const body = "x".repeat(16 * 2 ** 20 + 1);
      expect(await statusOf("POST", path, {}, body)).toBe(413);
    },
  );

  test.each([
    ["no token", "Bearer x"],
    ["a token that is null", "Bearer .bnVsbA."],
    ["a token without a subject", "Bearer .e30."],
    ["an admin key", "Convex x"],
  ])("%s gets 401", async (_name, authorization) => {
    const headers = { authorization };
    expect(await statusOf("POST", "/api/query", headers, LISTING)).toBe(401);
  });
});

describe("the header Origin", () => {
  const local = [
    undefined,
    "http://localhost:5173",
    "http://127.0.0.1:5173",
    "https://localhost",
    "http://[::1]:80",
  ];
  const foreign = [
    "https://example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com:5173",
    "http://example.com/localhost",
    "http://192.168.0.1",
    "null",
    "",
    "file://",
    "chrome-extension://localhost",
  ];

  test.each([
    ...local.map((origin) => [origin, true] as const),
    ...foreign.map((origin) => [origin, false] as const),
  ])("%o may call: %o", async (origin, may) => {
    const headers: Record<string, string> =
      origin === undefined ? {} : { origin };
    const call = (method: string, path: string, body: string) =>
      statusOf(method, path, headers, body);
    expect(await call("POST", "/api/query", LISTING)).toBe(may ? 200 : 403);
    expect(await call("OPTIONS", "/api/query", "")).toBe(may ? 204 : 403);
    expect(await call("GET", "/elsewhere", "")).toBe(may ? 404 : 403);
    const socket = new WebSocket(addressOf(server), { headers });
    onTestFinished(() => socket.terminate());
    const opened = await new Promise((resolve) => {
      socket.on("open", () => resolve("open"));
      socket.on("error", (error) => resolve(error.message));
    });
    expect(opened).toBe(may ? "open" : "Unexpected server response: 403");
  });
});

test("a client that reads nothing is cut off", async () => {
  const socket = await open();
  socket.pause();
  const closed = closeOf(socket);
  // The answer repeats the path.
  const udfPath = "x".repeat(4 * 2 ** 20);
  let requestId = 0;
  while (socket.readyState === WebSocket.OPEN && requestId < 100) {
    const message = {
      type: "Action",
      requestId: requestId++,
      udfPath,
      args: [],
    };
    await new Promise((sent) => socket.send(JSON.stringify(message), sent));
  }
  expect(await closed).toBe(1006);
  await goesOn();
});

test("a client that asks for thousands of things at once gets each answer", async () => {
  const socket = await open();
  let answers = 0;
  socket.on("message", () => answers++);
  for (let requestId = 0; requestId < 5000; requestId++) {
    socket.send(
      JSON.stringify({ type: "Action", requestId, udfPath: "none", args: [] }),
    );
  }
  await expect.poll(() => answers, { timeout: 20_000 }).toBe(5000);
});

const addressOf = ({ url }: EmbeddedServer) =>
  `${url.replace("http", "ws")}/api/1.48.0/sync`;
const portOf = ({ url }: EmbeddedServer) => Number(new URL(url).port);

async function open(): Promise<WebSocket> {
  const socket = new WebSocket(addressOf(server));
  onTestFinished(() => socket.terminate());
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.on("open", resolve));
  return socket;
}

const closeOf = (socket: WebSocket) =>
  new Promise<number>((resolve) => socket.on("close", resolve));

/** The connection below a WebSocket. */
const rawOf = (socket: WebSocket) =>
  (socket as unknown as { _socket: Socket })._socket;

function statusOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const port = portOf(server);
    const request = httpRequest({ port, method, path, headers, agent: false });
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
    request.end(body);
  });
}
