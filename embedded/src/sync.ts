import type { JSONValue } from "convex/values";
import type { WebSocket } from "ws";
import type { Backend, Caller, FunctionResult } from "./backend.js";
import { identityFromToken } from "./caller.js";
import { type Read, touches, type Write } from "./changes.js";
import { Malformed, parseMessage } from "./parse.js";
import {
  type ClientMessage,
  encodeTs,
  type MutationRequest,
  type MutationResponse,
  type QueryChange,
  type QuerySetChange,
  type ServerMessage,
  type Version,
} from "./protocol.js";
import type { Session, Sessions } from "./sessions.js";

/** Clients give up on a server after a silent minute. Convex's own pings every 15 s. */
const PING_INTERVAL_MS = 15_000;

/** A client that asks for more at once is not read for a while. */
const MAX_AT_ONCE = 1_000;
/** A client that leaves more unread is cut off. */
const MAX_UNREAD_BYTES = 64 * 2 ** 20;

type LiveQuery = {
  path: string;
  args: JSONValue;
  /** What its last run read. */
  reads: Read[];
  /** Whether it has to run again. */
  isStale: boolean;
  /** The outcome that the client has, serialized. */
  sent?: string;
};

/** Serves the sync protocol on one WebSocket. */
export function serveSync(
  socket: WebSocket,
  backend: Backend,
  sessions: Sessions,
  caller: Caller,
): void {
  const connection = new SyncConnection(socket, backend, sessions, caller);
  const unsubscribe = backend.onChange((writes) => connection.onWrites(writes));
  const ping = setInterval(() => connection.ping(), PING_INTERVAL_MS);
  socket.on("message", (data: Buffer, isBinary) =>
    connection.receive(data, isBinary),
  );
  // After a frame that breaks the WebSocket protocol. `ws` has answered it, and closes the socket.
  socket.on("error", () => undefined);
  socket.on("close", () => {
    clearInterval(ping);
    unsubscribe();
  });
}

class SyncConnection {
  readonly #socket: WebSocket;
  readonly #backend: Backend;
  readonly #sessions: Sessions;
  #caller: Caller;
  #session: Session | undefined;

  readonly #queries = new Map<number, LiveQuery>();
  #removed: number[] = [];
  /** What the client has asked for, and what it was last told. */
  #wanted = { querySet: 0, identity: 0 };
  #told: Version = { querySet: 0, identity: 0, ts: encodeTs(0n) };
  /** Whether the client waits for a transition that reaches a mutation of its own. */
  #owesTransition = false;

  #stale = false;
  #refreshing = false;
  /** How much of what the client has asked for is under way. */
  #running = 0;

  constructor(
    socket: WebSocket,
    backend: Backend,
    sessions: Sessions,
    caller: Caller,
  ) {
    this.#socket = socket;
    this.#backend = backend;
    this.#sessions = sessions;
    this.#caller = caller;
  }

  receive(data: Buffer, isBinary: boolean): void {
    void this.#run(() => {
      if (isBinary) throw new Malformed("The message is not text.");
      return this.#handle(parseMessage(data.toString()));
    });
  }

  /** Runs the queries that depend on these writes again. */
  onWrites(writes: Write[]): void {
    void this.#run(() => {
      const touched = [...this.#queries.values()].filter(({ reads }) =>
        reads.some((read) => writes.some((write) => touches(write, read))),
      );
      if (touched.length === 0) return;
      for (const query of touched) query.isStale = true;
      return this.#refresh();
    });
  }

  ping(): void {
    void this.#run(() => this.#send({ type: "Ping" }));
  }

  /**
   * Everything that this connection does runs in here, so that a failure ends the connection and
   * nothing else. The client then reconnects.
   */
  async #run(work: () => void | Promise<void>): Promise<void> {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#running++;
    if (this.#running >= MAX_AT_ONCE) this.#socket.pause();
    try {
      await work();
    } catch (error) {
      const isMalformed = error instanceof Malformed;
      if (!isMalformed) console.error("A connection has failed.", error);
      this.#socket.close(isMalformed ? 1008 : 1011, reasonOf(error));
    } finally {
      this.#running--;
      if (this.#running < MAX_AT_ONCE) this.#socket.resume();
    }
  }

  #send(message: ServerMessage): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(JSON.stringify(message));
    if (this.#socket.bufferedAmount > MAX_UNREAD_BYTES)
      this.#socket.terminate();
  }

  #handle(message: ClientMessage): void | Promise<void> {
    switch (message.type) {
      case "Connect":
        this.#session = this.#sessions.open(message.sessionId);
        return;
      case "ModifyQuerySet":
        expectVersion(message.baseVersion, this.#wanted.querySet);
        this.#wanted.querySet = message.newVersion;
        message.modifications.forEach((change) => this.#modify(change));
        return this.#refresh();
      case "Authenticate":
        return this.#authenticate(message);
      case "Mutation":
        if (this.#session === undefined) {
          throw new Malformed("Connect must come before a mutation.");
        }
        return this.#mutate(this.#session, message);
      case "Action":
        return this.#act(message);
      case "Event":
        return;
    }
  }

  #modify(change: QuerySetChange): void {
    if (change.type === "Add") {
      const { path, args } = change;
      const query = { path, args, reads: [], isStale: true };
      this.#queries.set(change.queryId, query);
    } else if (this.#queries.delete(change.queryId)) {
      this.#removed.push(change.queryId);
    }
  }

  #authenticate(
    message: ClientMessage & { type: "Authenticate" },
  ): void | Promise<void> {
    const { baseVersion } = message;
    expectVersion(baseVersion, this.#wanted.identity);
    try {
      this.#caller = { ...this.#caller, identity: identityOf(message) };
    } catch (error) {
      return this.#send({
        type: "AuthError",
        error: (error as Error).message,
        baseVersion,
        authUpdateAttempted: true,
      });
    }
    this.#wanted.identity = baseVersion + 1;
    for (const query of this.#queries.values()) query.isStale = true;
    return this.#refresh();
  }

  async #mutate(session: Session, request: MutationRequest): Promise<void> {
    const caller = this.#caller;
    const response = await session.run(request.requestId, () =>
      runMutation(this.#backend, request, caller),
    );
    this.#send(response);
    // To the client a mutation is done only when a transition has reached it.
    this.#owesTransition = true;
    await this.#refresh();
  }

  async #act(request: ClientMessage & { type: "Action" }): Promise<void> {
    const { requestId } = request;
    const outcome = await this.#backend.call("action", request, this.#caller);
    this.#send({
      type: "ActionResponse",
      requestId,
      ...responseFields(outcome),
    });
  }

  /** Brings the client up to date. Changes made meanwhile cause another round. */
  async #refresh(): Promise<void> {
    this.#stale = true;
    if (this.#refreshing) return;
    this.#refreshing = true;
    while (this.#stale && this.#socket.readyState === this.#socket.OPEN) {
      this.#stale = false;
      await this.#transition();
    }
    this.#refreshing = false;
  }

  async #transition(): Promise<void> {
    const wanted = { ...this.#wanted };
    const queries = [...this.#queries].filter(([, query]) => query.isStale);
    for (const [, query] of queries) {
      query.isStale = false;
      query.reads = [];
    }
    const removed = this.#removed.splice(0);
    const owed = this.#owesTransition;
    this.#owesTransition = false;

    const { ts, outcomes } = await this.#backend.snapshot(
      queries.map(([, query]) => query),
      this.#caller,
    );
    const modifications = queries.flatMap(([queryId, query], index) =>
      changeOf(queryId, query, outcomes[index]),
    );
    for (const queryId of removed) {
      modifications.push({ type: "QueryRemoved", queryId });
    }

    const startVersion = this.#told;
    const versionChanged =
      wanted.querySet !== startVersion.querySet ||
      wanted.identity !== startVersion.identity;
    if (modifications.length === 0 && !versionChanged && !owed) return;
    this.#told = { ...wanted, ts: encodeTs(ts) };
    this.#send({
      type: "Transition",
      startVersion,
      endVersion: this.#told,
      modifications,
    });
  }
}

async function runMutation(
  backend: Backend,
  request: MutationRequest,
  caller: Caller,
): Promise<MutationResponse> {
  const { requestId } = request;
  const outcome = await backend.call("mutation", request, caller);
  const result = responseFields(outcome);
  if (!result.success) {
    return { type: "MutationResponse", requestId, ...result };
  }
  const { ts } = await backend.snapshot([], caller);
  return { type: "MutationResponse", requestId, ...result, ts: encodeTs(ts) };
}

/** The change to tell the client, if it does not have this outcome yet. */
function changeOf(
  queryId: number,
  query: LiveQuery,
  outcome: FunctionResult | undefined,
): QueryChange[] {
  const text = JSON.stringify(outcome);
  if (outcome === undefined || text === query.sent) return [];
  query.sent = text;
  const rest = { queryId, logLines: [] as [], journal: null };
  if (outcome.ok) {
    return [{ type: "QueryUpdated", value: outcome.value, ...rest }];
  }
  const { message: errorMessage, data: errorData } = outcome;
  return [{ type: "QueryFailed", errorMessage, errorData, ...rest }];
}

function responseFields(outcome: FunctionResult) {
  const logLines: [] = [];
  return outcome.ok
    ? { success: true as const, result: outcome.value, logLines }
    : {
        success: false as const,
        result: outcome.message,
        errorData: outcome.data,
        logLines,
      };
}

function expectVersion(actual: number, expected: number): void {
  if (actual !== expected) {
    throw new Malformed(`Base version ${actual} is not ${expected}.`);
  }
}

function identityOf(
  message: ClientMessage & { type: "Authenticate" },
): Caller["identity"] {
  if (message.tokenType === "None") return null;
  if (message.tokenType === "User") return identityFromToken(message.value);
  throw new Malformed("This server has no admin access.");
}

/** As much of an error's message as a close frame holds, in whole characters. */
function reasonOf(error: unknown): Buffer {
  const bytes = Buffer.alloc(123);
  const { written } = new TextEncoder().encodeInto(String(error), bytes);
  return bytes.subarray(0, written);
}
