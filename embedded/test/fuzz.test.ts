import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { ConvexHttpClient } from "convex/browser";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { mangled } from "../../test/support/mangled.js";
import { minutes, times } from "../../test/support/seed.js";
import { api, app } from "./fixture.js";
import { startEmbedded } from "../src/server.js";

/** FC_SEED sets the first seed. */
const firstSeed = Number(process.env.FC_SEED ?? 1);

/** One of these words; an empty one, too, if there is a space at the end. */
const aWord = (words: string) => fc.constantFrom(...words.split(" "));

/** What a hostile client does. Each text that it asks to be stored begins with `asked`. */
type Act =
  | { by: "socket"; sends: (string | Buffer)[]; frames: Buffer[]; end: End }
  | {
      by: "http";
      method: string;
      path: string;
      headers: [string, string][];
      body: string;
      end: End;
    }
  | { by: "bytes"; bytes: Buffer; end: End };
type End = "waits" | "leaves" | "resets";

const END: fc.Arbitrary<End> = fc.constantFrom("waits", "leaves", "resets");

const call = (type: string, requestId: number, udfPath: string, args = {}) => ({
  ...{ type, requestId, udfPath },
  args: [args],
});
const add = (queryId: number, udfPath: string, args = {}) => ({
  ...{ type: "Add", queryId, udfPath },
  args: [args],
});
const modify = (baseVersion: number, ...modifications: object[]) => ({
  ...{ type: "ModifyQuerySet", baseVersion, newVersion: baseVersion + 1 },
  modifications,
});
const asked = { text: "asked" };

const MESSAGES = [
  { type: "Connect", sessionId: "a", connectionCount: 0, clientTs: 0 },
  modify(0, add(0, "messages:list")),
  modify(1, { type: "Remove", queryId: 0 }, add(1, "messages:count", asked)),
  call("Mutation", 0, "messages:send", asked),
  call("Mutation", 1, "messages:refuse"),
  call("Mutation", 2, "messages:sendLater", { text: "asked later" }),
  call("Action", 3, "counts:add"),
  { type: "Authenticate", baseVersion: 0, tokenType: "User", value: "a.e30.b" },
  { type: "Authenticate", baseVersion: 0, tokenType: "None" },
  { type: "Event", eventType: "a", event: {} },
];

const WORDS = [
  "",
  "__proto__",
  "constructor",
  "messages:send",
  "messages:sendInternally",
  "crons:default",
  "a:b:c",
  "\ud800",
  "\0",
  "$bytes",
  "a".repeat(1e5),
];
const BODIES = [
  { path: "messages:list", args: {} },
  { path: "messages:send", args: [asked] },
  { path: "counts:add", args: {} },
  { path: "messages:list", ts: "AAAAAAAAAAA=" },
];

const text = fc.oneof(
  { weight: 8, arbitrary: mangled(MESSAGES, WORDS) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc
      .nat(3e4)
      .map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  },
);
const bytes = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));

const frame = fc
  .tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 0, max: 255 }),
    bytes(40),
  )
  .map(([first, second, rest]) =>
    Buffer.concat([Buffer.from([first, second]), rest]),
  );

const head = fc
  .tuple(
    aWord("GET POST PUT OPTIONS CONNECT \0"),
    aWord("/api/1/sync /api/query / * // /% http://a/ \x80 "),
    fc.subarray([
      "Host: a",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
      "Sec-WebSocket-Extensions: permessage-deflate; x=1",
      "Content-Length: 7",
      "Content-Length: -1",
      "Transfer-Encoding: chunked",
      "Expect: 100-continue",
      "Origin: https://example.com",
      "A\0: b",
    ]),
    bytes(60),
  )
  .map(([method, path, lines, rest]) =>
    Buffer.concat([
      Buffer.from(
        [`${method} ${path} HTTP/1.1`, ...lines, "\r\n"].join("\r\n"),
        "latin1",
      ),
      rest,
    ]),
  );

const anAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    by: fc.constant("socket" as const),
    sends: fc.array(
      fc.oneof(
        { weight: 9, arbitrary: text },
        { weight: 1, arbitrary: bytes(50) },
      ),
      { maxLength: 8 },
    ),
    frames: fc.array(frame, { maxLength: 1 }),
    end: END,
  }),
  fc.record({
    by: fc.constant("http" as const),
    method: aWord("GET POST POST POST OPTIONS TRACE DELETE HEAD"),
    path: fc.oneof(
      aWord(
        "/api/query /api/mutation /api/action /api/function /api/query_ts " +
          "/api/query_at_ts /api/ /api/1/sync /elsewhere // /% /\\.. * a http://[",
      ),
      fc.webPath(),
    ),
    headers: fc.array(
      fc.tuple(
        aWord("authorization origin content-encoding expect convex-client"),
        fc.constantFrom(
          "",
          "Bearer",
          "Bearer a",
          "Bearer .bnVsbA.",
          "Convex a",
          "null",
          "http://localhost",
          "gzip",
          "\xff",
        ),
      ),
      { maxLength: 2 },
    ),
    body: fc.oneof(mangled(BODIES, WORDS), fc.string()),
    end: END,
  }),
  fc.record({
    by: fc.constant("bytes" as const),
    bytes: fc.oneof(head, bytes(200)),
    end: END,
  }),
);

/** The texts that an act asks to store, if it gets that far. */
function askedBy(act: Act): string[] {
  if (act.by === "bytes") return [];
  const sent = act.by === "http" ? [act.body] : act.sends;
  return sent.flatMap((one) => {
    const { path, udfPath = path, args } = parsed(String(one));
    const { text } = Object([args].flat()[0]) as { text?: unknown };
    const stores =
      udfPath === "messages:send" || udfPath === "messages:sendLater";
    return stores && typeof text === "string" ? [text] : [];
  });
}

function parsed(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

test(
  "whatever clients send, the server goes on, stores only what was asked, and answers or closes",
  { timeout: 60_000 * (1 + times + minutes) },
  async () => {
    const uncaught: unknown[] = [];
    const note = (error: unknown) => uncaught.push(error);
    const logged = vi.spyOn(console, "error").mockReturnValue();
    process.on("uncaughtException", note);
    process.on("unhandledRejection", note);
    onTestFinished(() => {
      logged.mockRestore();
      process.off("uncaughtException", note);
      process.off("unhandledRejection", note);
    });
    const outcomes = new Map<number, number>();
    const end = performance.now() + minutes * 60_000;
    for (let seed = firstSeed; ; seed++) {
      const server = await startEmbedded({ app, port: 0 });
      const http = new ConvexHttpClient(server.url, { logger: false });
      const asked = new Set<string>();
      const property = fc.asyncProperty(
        fc.array(anAct, { minLength: 1, maxLength: 6 }),
        async (acts) => {
          for (const text of acts.flatMap(askedBy)) asked.add(text);
          const codes = await Promise.all(
            acts.map((act) => carryOut(server.url, act)),
          );
          for (const code of codes)
            outcomes.set(code, (outcomes.get(code) ?? 0) + 1);
          const stored = await http.query(api.messages.list, {});
          expect(stored.filter((text) => !asked.has(text))).toEqual([]);
          expect(uncaught).toEqual([]);
          expect(logged.mock.calls).toEqual([]);
        },
      );
      await fc.assert(property, { seed, numRuns: Math.ceil(150 * times) });
      await server.close();
      if (performance.now() >= end) break;
    }
    // Failures of the server, in both protocols.
    expect([outcomes.get(500), outcomes.get(1011)]).toEqual([
      undefined,
      undefined,
    ]);
    // What it finds wrong, and what it carries out.
    const met = [ANSWERED, 200, 400, 403, 404, 1002, 1008];
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(met));
    if (minutes > 0) {
      const { heapUsed } = process.memoryUsage();
      process.stdout.write(
        `${JSON.stringify({ outcomes: [...outcomes], heapUsed })}\n`,
      );
    }
  },
);

/** The client left before it was answered, or its socket still answers after all that it has sent. */
const LEFT = 0;
const ANSWERED = 1;

/** The status of the answer, or the code with which the socket was closed. */
function carryOut(url: string, act: Act): Promise<number> {
  switch (act.by) {
    case "socket":
      return viaSocket(url, act);
    case "http":
      return viaHttp(url, act);
    case "bytes":
      return viaBytes(url, act);
  }
}

function viaSocket(
  url: string,
  { sends, frames, end }: Act & { by: "socket" },
): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace("http", "ws")}/api/1/sync`);
    const leave = (outcome: number) => {
      socket.terminate();
      resolve(outcome);
    };
    socket.on("error", () => undefined);
    socket.on("close", resolve);
    socket.on("message", (data: Buffer) => {
      if (data.includes(`"requestId":${LAST}`)) leave(ANSWERED);
    });
    socket.on("open", () => {
      const raw = (socket as unknown as { _socket: Socket })._socket;
      for (const data of sends) socket.send(data);
      for (const data of frames) raw.write(data);
      if (end === "leaves") leave(LEFT);
      else if (end === "resets") raw.resetAndDestroy();
      // The server may wait for the rest of a frame.
      else if (frames.length > 0) raw.end();
      else
        socket.send(
          `{"type":"Action","requestId":${LAST},"udfPath":"none","args":[]}`,
        );
    });
  });
}

const LAST = 2 ** 32 - 1;

function viaHttp(
  url: string,
  { method, path, headers, body, end }: Act & { by: "http" },
): Promise<number> {
  return new Promise((resolve) => {
    const { port } = new URL(url);
    const sent = { method, path, headers: Object.fromEntries(headers) };
    const request = httpRequest({ port, agent: false, ...sent }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    });
    request.on("error", () => resolve(LEFT));
    // Node sends no length with some methods.
    if (method === "POST") request.write(body);
    if (end === "waits") request.end();
    else request.flushHeaders();
    if (end === "leaves") request.destroy();
    if (end === "resets") {
      request.on("socket", (socket) =>
        socket.on("connect", () => socket.resetAndDestroy()),
      );
    }
  });
}

function viaBytes(
  url: string,
  { bytes, end }: Act & { by: "bytes" },
): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port));
    let answer = "";
    socket.on("error", () => undefined);
    socket.on("data", (data) => (answer += data.toString("latin1")));
    socket.on("close", () =>
      resolve(Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? LEFT)),
    );
    socket.write(bytes, () => {
      if (end === "waits") socket.end();
      else if (end === "leaves") socket.destroy();
      else socket.resetAndDestroy();
    });
  });
}
