import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { ConvexReactClient } from "convex/react";
import { ConvexError } from "convex/values";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { follow, observe } from "../../test/support/liveQuery.js";
import { api, app, countRuns, uncallable } from "./fixture.js";
import { rawClient } from "./rawClient.js";
import { decodeTs, encodeTs, type ServerMessage } from "../src/protocol.js";
import { type EmbeddedServer, startEmbedded } from "../src/server.js";

let server: EmbeddedServer;
let http: ConvexHttpClient;
let cleanups: (() => unknown)[];

beforeEach(async () => {
  server = await startEmbedded({ app, port: 0 });
  http = new ConvexHttpClient(server.url, { logger: false });
  cleanups = [() => server.close()];
});

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

const clientOptions = {
  logger: false,
  // Node 20 has no WebSocket of its own.
  webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
};

function liveClient(): ConvexClient {
  const client = new ConvexClient(server.url, clientOptions);
  cleanups.push(() => client.close());
  return client;
}

const followMessages = (client: ConvexClient) =>
  follow(client, api.messages.list, {});

const texts = (...expected: string[]) => {
  const json = JSON.stringify(expected);
  return (result: unknown) => JSON.stringify(result) === json;
};

type Refused = { call: () => Promise<unknown>; message: string };

describe("over HTTP", () => {
  test("queries, mutations and actions answer the official client", async () => {
    expect(await http.query(api.messages.list, {})).toEqual([]);
    expect(await http.mutation(api.messages.send, { text: "a" })).toBe(
      "sent a",
    );
    expect(await http.action(api.counts.add, {})).toBe("added");
    expect(await http.query(api.messages.list, {})).toEqual(["a"]);
  });

  test("a ConvexError arrives with its data, and its mutation writes nothing", async () => {
    const error: unknown = await http
      .mutation(api.messages.refuse, {})
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ConvexError);
    expect(error).toMatchObject({ data: { kind: "Refused", after: 12n } });
    expect(await http.query(api.messages.list, {})).toEqual([]);
  });

  test.each`
    what                                                | call                                                            | message
    ${"an internal function, like one that is missing"} | ${() => http.mutation(uncallable.internal, { text: "a" })}      | ${"Could not find public function for 'messages:sendInternally'"}
    ${"an unknown function"}                            | ${() => http.query(uncallable.missing, {})}                     | ${"Could not find public function for 'messages:missing'"}
    ${"a query called as a mutation"}                   | ${() => http.mutation(api.messages.list as never, {})}          | ${"defined as query"}
    ${"arguments that the function does not take"}      | ${() => http.mutation(api.messages.send, { text: 5 as never })} | ${"Validator error: Expected `string`"}
  `("refuses $what", async ({ call, message }: Refused) => {
    await expect(call()).rejects.toThrow(message);
  });

  test("refuses a malformed token", async () => {
    http.setAuth("nonsense");
    const asked = http.query(api.messages.list, {});
    await expect(asked).rejects.toThrow("not a JSON Web Token");
  });

  test("a consistent query sees the newest state, or fails if its timestamp has passed", async () => {
    await http.mutation(api.messages.send, { text: "a" });
    expect(await http.consistentQuery(api.messages.list, {})).toEqual(["a"]);
    await http.mutation(api.messages.send, { text: "b" });
    await expect(http.consistentQuery(api.messages.list, {})).rejects.toThrow(
      "Data has changed",
    );
  });

  test("the clock stands still within a mutation, but not between two", async () => {
    const [first, ...rest] = await http.mutation(api.messages.clock, {});
    expect(rest).toEqual([first, first]);
    const [second] = await http.mutation(api.messages.clock, {});
    expect(second).toBeGreaterThan(first!);
  });

  test("the token's subject reaches ctx.auth", async () => {
    http.setAuth(tokenOf({ sub: "ann", iss: "test" }));
    expect(await http.query(api.messages.whoami, {})).toBe("ann");
  });

  test("the caller's address reaches ctx.meta", async () => {
    const { hostname } = new URL(server.url);
    expect(await http.mutation(api.messages.address, {})).toBe(hostname);
    expect(await liveClient().mutation(api.messages.address, {})).toBe(
      hostname,
    );
  });

  test("a page at another port of this machine may call", async () => {
    const preflight = await fetch(`${server.url}/api/mutation`, {
      method: "OPTIONS",
      headers: { Origin: "http://localhost:5173" },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toContain(
      "Convex-Client",
    );
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("paths outside /api go to the app's HTTP actions", async () => {
    const response = await fetch(`${server.siteUrl}/send`, {
      method: "POST",
      body: "hello",
    });
    expect(response.status).toBe(201);
    expect(response.headers.get("x-source")).toBe("fixture");
    expect(await response.text()).toBe("HELLO");
    expect(await http.query(api.messages.list, {})).toEqual(["hello"]);
    expect((await fetch(`${server.siteUrl}/elsewhere`)).status).toBe(404);
  });
});

describe("over the WebSocket", () => {
  test("a live query follows mutations of its client, of other clients and over HTTP", async () => {
    const [one, two] = [liveClient(), liveClient()];
    const seen = followMessages(one);
    const seenByTwo = followMessages(two);
    await seen.until(texts());

    await one.mutation(api.messages.send, { text: "own" });
    // A mutation's promise resolves only once the client's own queries show its effect.
    expect(seen.results.at(-1)).toEqual(["own"]);
    await two.mutation(api.messages.send, { text: "other" });
    await http.mutation(api.messages.send, { text: "http" });

    await seen.until(texts("own", "other", "http"));
    await seenByTwo.until(texts("own", "other", "http"));
  });

  test("a live query follows a scheduled function and the state of its job", async () => {
    const client = liveClient();
    const seen = followMessages(client);
    const jobs = follow(client, api.messages.jobs, {});
    await client.mutation(api.messages.sendLater, { text: "later" });
    await seen.until(texts("later"));
    await jobs.until(texts("success"));
  });

  test("a live query follows an HTTP action and what it schedules", async () => {
    const client = liveClient();
    const seen = followMessages(client);
    const jobs = follow(client, api.messages.jobs, {});
    await seen.until(texts());
    await fetch(`${server.siteUrl}/send`, { method: "POST", body: "a" });
    await seen.until(texts("a"));
    await fetch(`${server.siteUrl}/sendInAnHour`, { method: "POST" });
    await jobs.until(texts("pending"));
  });

  test("a live query follows a function that a component scheduled", async () => {
    const client = liveClient();
    const totals = follow(client, api.counts.total, {});
    await totals.until((total) => total === 0);
    expect(await client.action(api.counts.add, {})).toBe("added");
    await totals.until((total) => total === 1);
  });

  test("a live query that throws reports the error's data, and recovers later", async () => {
    const client = liveClient();
    const seen = observe<unknown>((onResult) =>
      client.onUpdate(api.messages.first, {}, onResult, onResult),
    );
    const error = await seen.until((result) => result instanceof Error);
    expect(error).toBeInstanceOf(ConvexError);
    expect(error).toMatchObject({ data: { kind: "Empty" } });
    await client.mutation(api.messages.send, { text: "a" });
    await seen.until((result) => result === "a");
  });

  test("only results that changed are sent", async () => {
    const client = liveClient();
    const seen = followMessages(client);
    const totals = follow(client, api.counts.total, {});
    await totals.until((total) => total === 0);
    await client.mutation(api.messages.send, { text: "a" });
    expect(seen.results).toEqual([[], ["a"]]);
    expect(totals.results).toEqual([0]);
  });

  describe("a live query runs again", () => {
    const followCount = (client: ConvexClient, text: string) =>
      follow(client, api.messages.count, { text });
    const send = (text: string) => http.mutation(api.messages.send, { text });
    beforeEach(() => countRuns.clear());

    test("only when what it has read has changed", async () => {
      const client = liveClient();
      const [a, b] = [followCount(client, "a"), followCount(client, "b")];
      await b.until((count) => count === 0);
      await send("a");
      await a.until((count) => count === 1);
      await send("c");
      await send("b");
      await b.until((count) => count === 1);
      expect(Object.fromEntries(countRuns)).toEqual({ a: 2, b: 2 });
    });

    test("when a document leaves or enters what it has read", async () => {
      const client = liveClient();
      const [a, b] = [followCount(client, "a"), followCount(client, "b")];
      await send("a");
      await a.until((count) => count === 1);
      await http.mutation(api.messages.rename, { from: "a", to: "b" });
      await b.until((count) => count === 1);
      expect(a.results.at(-1)).toBe(0);
    });

    test("not for writes that are rolled back", async () => {
      const client = liveClient();
      const never = followCount(client, "never");
      const kept = followCount(client, "kept");
      await kept.until((count) => count === 0);
      await expect(http.mutation(api.messages.refuse, {})).rejects.toThrow();
      await http.mutation(api.messages.sendHalf, { kept: "kept" });
      await kept.until((count) => count === 1);
      expect(never.results).toEqual([0]);
      expect(Object.fromEntries(countRuns)).toEqual({ never: 1, kept: 2 });
    });
  });

  test("errors of mutations arrive as they do over HTTP", async () => {
    const client = liveClient();
    const refused = client.mutation(api.messages.refuse, {});
    const data = { kind: "Refused", after: 12n };
    await expect(refused).rejects.toMatchObject({ data });
    const internal = client.mutation(uncallable.internal, { text: "a" });
    await expect(internal).rejects.toThrow("Could not find public function");
  });

  test("a client's mutations run in the order of its calls", async () => {
    const client = liveClient();
    const letters = [..."abcdefgh"];
    await Promise.all(
      letters.map((text) => client.mutation(api.messages.send, { text })),
    );
    expect(await http.query(api.messages.list, {})).toEqual(letters);
  });

  test("logging in and out reruns the live queries", async () => {
    const client = liveClient();
    const seen = follow(client, api.messages.whoami, {});
    await seen.until((name) => name === "nobody");
    client.setAuth(async () => tokenOf({ sub: "ann", iss: "test" }));
    await seen.until((name) => name === "ann");
    client.client.clearAuth();
    await seen.until((name) => name === "nobody" && seen.results.length > 2);
  });

  test("a client resumes its subscriptions after its connection was cut", async () => {
    const client = liveClient();
    const seen = followMessages(client);
    await seen.until(texts());
    server.dropConnections();
    await http.mutation(api.messages.send, { text: "meanwhile" });
    await seen.until(texts("meanwhile"));
    await client.mutation(api.messages.send, { text: "after" });
    expect(seen.results.at(-1)).toEqual(["meanwhile", "after"]);
  });
});

test("the client for React works like the others", async () => {
  const client = new ConvexReactClient(server.url, clientOptions);
  cleanups.push(() => client.close());
  const watch = client.watchQuery(api.messages.list, {});
  const seen = observe<unknown>((onResult) =>
    watch.onUpdate(() => onResult(watch.localQueryResult())),
  );
  await seen.until(texts());
  await client.mutation(api.messages.send, { text: "a" });
  expect(seen.results.at(-1)).toEqual(["a"]);
  expect(await client.action(api.counts.add, {})).toBe("added");
  expect(await client.query(api.messages.first, {})).toBe("a");
});

describe("in the protocol", () => {
  test("a mutation that is sent again after a reconnect runs once and gets the same answer", async () => {
    const mutation = {
      type: "Mutation",
      requestId: 0,
      udfPath: "messages:send",
      args: [{ text: "once" }],
    };
    const responses: (ServerMessage | undefined)[] = [];
    for (let connection = 0; connection < 2; connection++) {
      const socket = await rawClient(server, "session");
      socket.send(mutation);
      responses.push(await socket.receive("MutationResponse"));
      const transition = await socket.receive("Transition");
      expect(decodeTs(transition.endVersion.ts)).toBeGreaterThan(0n);
      server.dropConnections();
    }
    expect(responses[1]).toEqual(responses[0]);
    expect(await http.query(api.messages.list, {})).toEqual(["once"]);

    const other = await rawClient(server, "another session");
    other.send(mutation);
    await other.receive("MutationResponse");
    expect(await http.query(api.messages.list, {})).toEqual(["once", "once"]);
  });

  test("each transition starts at the end of the one before, with all results of its query set", async () => {
    const socket = await rawClient(server, "session");
    const change = (baseVersion: number, modification: object) =>
      socket.send({
        type: "ModifyQuerySet",
        baseVersion,
        newVersion: baseVersion + 1,
        modifications: [modification],
      });
    const add = { type: "Add", args: [{}] };
    change(0, { ...add, queryId: 0, udfPath: "messages:list" });
    change(1, { ...add, queryId: 1, udfPath: "counts:total" });
    change(2, { type: "Remove", queryId: 0 });

    let version: object = { querySet: 0, identity: 0, ts: encodeTs(0n) };
    const told = new Set<number>();
    const expectedByQuerySet: Record<number, number[]> = {
      1: [0],
      2: [0, 1],
      3: [1],
    };
    for (let querySet = 0; querySet < 3;) {
      const transition = await socket.receive("Transition");
      expect(transition.startVersion).toEqual(version);
      version = transition.endVersion;
      querySet = transition.endVersion.querySet;
      for (const { type, queryId } of transition.modifications) {
        if (type === "QueryRemoved") told.delete(queryId);
        else told.add(queryId);
      }
      expect([...told]).toEqual(expectedByQuerySet[querySet]);
    }
  });
});

function tokenOf(claims: object): string {
  const encode = (value: object) =>
    Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "none" })}.${encode(claims)}.`;
}
