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
import { api, app } from "./fixture.js";
import { rawClient } from "./rawClient.js";
import { type EmbeddedServer, startEmbedded } from "../src/server.js";

let server: EmbeddedServer;
beforeAll(async () => {
  server = await startEmbedded({ app, port: 0 });
});
afterAll(() => server.close());

/** Whether the server goes on, and the hostile client has written nothing. */
const goesOn = async () => {
  const http = new ConvexHttpClient(server.url, { logger: false });
  expect(await http.query(api.messages.list, {})).toEqual([]);
};

describe("a message of the sync protocol closes its socket with 1008", () => {
  const values = {
    text: "text",
    index: 7,
    list: [{}],
    negative: -1,
    fraction: 0.5,
    large: 2 ** 32,
    null: null,
    object: {},
    boolean: true,
    absent: undefined,
  };
  type Kind = "text" | "index" | "list" | "word";

  type Message = [Record<string, unknown>, Record<string, Kind>];

  const call: Record<string, Kind> = { udfPath: "text", args: "list" };
  const messages: Message[] = [
    [{ type: "Connect" }, { sessionId: "text" }],
    [
      { type: "ModifyQuerySet", baseVersion: 0, newVersion: 1 },
      { baseVersion: "index", newVersion: "index", modifications: "list" },
    ],
    [
      { type: "Mutation", requestId: 1 },
      { requestId: "index", ...call },
    ],
    [
      { type: "Action", requestId: 1 },
      { requestId: "index", ...call },
    ],
    [
      { type: "Authenticate", tokenType: "User", baseVersion: 0 },
      { baseVersion: "index", tokenType: "word", value: "text" },
    ],
    [{ type: "Dance" }, { type: "word" }],
  ];
  const changes: Message[] = [
    [
      { type: "Add", queryId: 0 },
      { queryId: "index", ...call },
    ],
    [
      { type: "Remove", queryId: 0 },
      { queryId: "index", type: "word" },
    ],
  ];
  /** The message with each field in turn of each wrong type. */
  const wrong = ([message, fields]: Message) => {
    const right = Object.fromEntries(
      Object.entries(fields).map(([name, kind]) => [
        name,
        kind === "word" ? undefined : values[kind],
      ]),
    );
    return Object.entries(fields).flatMap(([name, kind]) =>
      Object.entries(values)
        .filter(([ofValue]) => ofValue !== kind)
        .map(([ofValue, value]) => {
          const sent = { ...right, ...message, [name]: value };
          return [
            `${String(message.type)} with ${name} ${ofValue}`,
            sent,
          ] as const;
        }),
    );
  };
  const inQuerySet = (modifications: unknown) => ({
    type: "ModifyQuerySet",
    baseVersion: 0,
    newVersion: 1,
    modifications,
  });
  const deep = `${"[".repeat(1e5)}${"]".repeat(1e5)}`;

  test.each<readonly [string, unknown]>([
    ...messages.flatMap(wrong),
    ...changes
      .flatMap(wrong)
      .map(([name, sent]) => [name, inQuerySet([sent])] as const),
    ...[5, null, "text", []].map(
      (one) =>
        [
          `a modification that is ${JSON.stringify(one)}`,
          inQuerySet([one]),
        ] as const,
    ),
    ...[[5], [null], [[]], [{}, {}]].map(
      (args) =>
        [
          `an action with args ${JSON.stringify(args)}`,
          { type: "Action", requestId: 1, udfPath: "counts:add", args },
        ] as const,
    ),
    ["a query set that does not follow", { ...inQuerySet([]), baseVersion: 3 }],
    ["a list", []],
    ["null", null],
    ["a text", "text"],
  ])("%s", async (_name, message) => {
    const socket = await rawClient(server, "hostile");
    socket.send(message);
    expect(await socket.closed).toBe(1008);
    await goesOn();
  });

  test("a mutation before Connect", async () => {
    const socket = await rawClient(server);
    socket.send({
      type: "Mutation",
      requestId: 0,
      udfPath: "messages:send",
      args: [{ text: "a" }],
    });
    expect(await socket.closed).toBe(1008);
    await goesOn();
  });

  test.each([
    ["no JSON", "{"],
    [
      "no JSON, of characters that a close frame cannot hold all",
      "é€😀".repeat(100),
    ],
    ["nothing", ""],
    ["JSON that is deep", deep],
    ["an unknown type", '{"type":"toString"}'],
    ["bytes", Buffer.from('{"type":"Event"}')],
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
    ["a reserved bit", frame(0xf1, "a"), 1002],
    ["no mask", Buffer.from([0x81, 1, 97]), 1002],
    ["a ping in fragments", frame(0x09, ""), 1002],
    ["a continuation of nothing", frame(0x80, "a"), 1002],
    ["a close of one byte", frame(0x88, "a"), 1002],
    ["a close with a bad code", frame(0x88, Buffer.from([0, 1])), 1002],
    ["text that is not UTF-8", frame(0x81, Buffer.from([0xff, 0xfe])), 1007],
    [
      "more than a message holds",
      Buffer.from([0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0]),
      1009,
    ],
    [
      "2^64 bytes",
      Buffer.from([0x81, 0xff, 255, 255, 255, 255, 255, 255, 255, 255]),
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
    socket.write(upgradeTo("/api/1/sync"));
    const answer = read(socket);
    await expect.poll(() => answer.text).toContain("101 Switching Protocols");
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    socket.write(frame(0x81, "nonsense"));
    await expect.poll(() => answer.text).toContain("not JSON");
    expect(socket.closed).toBe(false);
    vi.advanceTimersByTime(2_000);
    await answer.ended;
  });
});

describe("a connection that is reset ends nothing", () => {
  test.each([
    [
      "before the upgrade is whole",
      "GET /api/1/sync HTTP/1.1\r\nUpgrade: websocket\r\n",
    ],
    ["with the upgrade", upgradeTo("/api/1/sync")],
    ["with an upgrade to another path", upgradeTo("/elsewhere")],
    [
      "with an upgrade from elsewhere",
      upgradeTo("/api/1/sync", "https://example.com"),
    ],
    [
      "with an upgrade that is none",
      upgradeTo("/api/1/sync").replace("Sec-", "X-"),
    ],
    [
      "in a body",
      "POST /api/mutation HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{",
    ],
    [
      "before the answer",
      'POST /api/query HTTP/1.1\r\nHost: a\r\nContent-Length: 24\r\n\r\n{"path":"messages:list"}',
    ],
  ])("%s", async (_name, sent) => {
    for (let i = 0; i < 5; i++) {
      const socket = connect(portOf(server));
      await new Promise((resolve) => socket.write(sent, resolve));
      if (i > 0) await new Promise((resolve) => setImmediate(resolve));
      socket.resetAndDestroy();
    }
    await goesOn();
  });

  test("in the middle of calls", async () => {
    const socket = await open();
    for (let i = 0; i < 50; i++) {
      socket.send(
        `{"type":"Action","requestId":${i},"udfPath":"counts:none","args":[]}`,
      );
    }
    await new Promise((resolve) => setImmediate(resolve));
    rawOf(socket).resetAndDestroy();
    await goesOn();
  });
});

describe("over HTTP", () => {
  const bare = { path: "messages:list" };
  test.each<[string, number, string, string, string | object]>([
    ["no JSON", 400, "POST", "/api/query", "{"],
    ["no body", 400, "POST", "/api/query", ""],
    ["a list", 400, "POST", "/api/query", "[]"],
    ["null", 400, "POST", "/api/query", "null"],
    ["no path", 400, "POST", "/api/query", {}],
    ["a path that is a number", 400, "POST", "/api/mutation", { path: 5 }],
    [
      "arguments that are a number",
      400,
      "POST",
      "/api/action",
      { ...bare, args: 5 },
    ],
    [
      "arguments that are null",
      400,
      "POST",
      "/api/function",
      { ...bare, args: [null] },
    ],
    [
      "a time that is a number",
      400,
      "POST",
      "/api/query_at_ts",
      { ...bare, ts: 5 },
    ],
    [
      "a time that is short",
      400,
      "POST",
      "/api/query_at_ts",
      { ...bare, ts: "AA==" },
    ],
    ["no time", 400, "POST", "/api/query_at_ts", bare],
    ["an unknown path", 404, "POST", "/api/%ff", "{}"],
    ["an unknown method", 405, "DELETE", "/api/query", ""],
    ["TRACE", 405, "TRACE", "/", ""],
    ["a path of a broken encoding", 404, "GET", "/%zz%", ""],
    ["a path of two slashes", 404, "GET", "//", ""],
    ["no slash", 400, "GET", "elsewhere", ""],
    ["an asterisk", 400, "OPTIONS", "*", ""],
    ["a whole address", 400, "GET", "http://[", ""],
    [
      "too long a body",
      413,
      "POST",
      "/api/query",
      "x".repeat(16 * 2 ** 20 + 1),
    ],
    [
      "too long a body for an HTTP action",
      413,
      "POST",
      "/send",
      "x".repeat(16 * 2 ** 20 + 1),
    ],
  ])("%s gets %d", async (_name, status, method, path, body) => {
    expect(await statusOf(method, path, {}, body)).toBe(status);
    await goesOn();
  });

  test.each([
    ["no token", "Bearer x"],
    [
      "a token that is null",
      `Bearer .${Buffer.from("null").toString("base64url")}.`,
    ],
    [
      "a token without a subject",
      `Bearer .${Buffer.from("{}").toString("base64url")}.`,
    ],
    ["an admin key", "Convex x"],
  ])("%s gets 401", async (_name, authorization) => {
    const headers = { authorization };
    expect(await statusOf("POST", "/api/query", headers, bare)).toBe(401);
  });

  test.each([
    "",
    "GET / HTTP/9.9\r\n\r\n",
    "\0\0\0\r\n\r\n",
    "GET /\u00e9 HTTP/1.1\r\nA\r\n\r\n",
  ])("%o gets no answer or 400, and a closed connection", async (sent) => {
    const socket = connect(portOf(server));
    socket.end(sent);
    const answer = read(socket);
    await answer.ended;
    expect(answer.text).toMatch(/^($|HTTP\/1.1 400)/);
    await goesOn();
  });
});

describe("the header Origin", () => {
  const headersOf = (origin?: string): Record<string, string> =>
    origin === undefined ? {} : { origin };
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
  const all = [
    ...local.map((origin) => [origin, true] as const),
    ...foreign.map((origin) => [origin, false] as const),
  ];

  test.each(all)("%o may call over HTTP: %o", async (origin, may) => {
    const call = (method: string, path: string, body: string | object) =>
      statusOf(method, path, headersOf(origin), body);
    const asked = { path: "messages:list" };
    expect(await call("POST", "/api/query", asked)).toBe(may ? 200 : 403);
    expect(await call("OPTIONS", "/api/query", "")).toBe(may ? 204 : 403);
    expect(await call("GET", "/elsewhere", "")).toBe(may ? 404 : 403);
  });

  test.each(all)("%o may open a WebSocket: %o", async (origin, may) => {
    const socket = new WebSocket(addressOf(server), {
      headers: headersOf(origin),
    });
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

function upgradeTo(path: string, origin = "http://localhost"): string {
  return [
    `GET ${path} HTTP/1.1`,
    "Host: localhost",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Origin: ${origin}`,
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
    "\r\n",
  ].join("\r\n");
}

function read(socket: Socket) {
  const answer = { text: "", ended: Promise.resolve() };
  socket.on("data", (data) => (answer.text += data.toString()));
  socket.on("error", () => undefined);
  answer.ended = new Promise((resolve) => socket.on("close", () => resolve()));
  return answer;
}

function statusOf(
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string | object,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const port = portOf(server);
    const request = httpRequest({ port, method, path, headers, agent: false });
    request.on("response", (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on("error", reject);
    request.end(typeof body === "string" ? body : JSON.stringify(body));
  });
}
