import type { WebSocket } from "ws";
import type { Backend, Caller, FunctionResult } from "./backend.js";
import { identityFromToken } from "./caller.js";
import { type Read, touches, type Write } from "./changes.js";
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

type LiveQuery = {
  path: string;
  args: MutationRequest["args"][number];
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
  const ping = setInterval(
    () => connection.send({ type: "Ping" }),
    PING_INTERVAL_MS,
  );
  socket.on("message", (data: Buffer) => {
    connection.receive(data.toString());
  });
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

  send(message: ServerMessage): void {
    if (this.#socket.readyState === this.#socket.OPEN) {
      this.#socket.send(JSON.stringify(message));
    }
  }

  receive(data: string): void {
    try {
      this.#handle(JSON.parse(data) as ClientMessage);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Closes the connection. The client then reconnects. */
  readonly #fail = (error: unknown): void => {
    // A close frame holds at most 123 bytes of reason.
    this.#socket.close(1008, Buffer.from(String(error)).subarray(0, 123));
  };

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case "Connect":
        this.#session = this.#sessions.open(message.sessionId);
        return;
      case "ModifyQuerySet":
        expectVersion(message.baseVersion, this.#wanted.querySet);
        this.#wanted.querySet = message.newVersion;
        message.modifications.forEach((change) => this.#modify(change));
        this.refresh();
        return;
      case "Authenticate":
        this.#authenticate(message);
        return;
      case "Mutation":
        if (this.#session === undefined) throw new Error("Not connected");
        this.#mutate(this.#session, message).catch(this.#fail);
        return;
      case "Action":
        void this.#act(message);
        return;
      case "Event":
        return;
      default:
        throw new Error("Unknown type of message");
    }
  }

  #modify(change: QuerySetChange): void {
    if (change.type === "Add") {
      const { udfPath: path, args } = change;
      const query = { path, args: args[0] ?? {}, reads: [], isStale: true };
      this.#queries.set(change.queryId, query);
    } else if (this.#queries.delete(change.queryId)) {
      this.#removed.push(change.queryId);
    }
  }

  #authenticate(message: ClientMessage & { type: "Authenticate" }): void {
    const { baseVersion, tokenType, value = "" } = message;
    expectVersion(baseVersion, this.#wanted.identity);
    try {
      if (tokenType === "Admin") {
        throw new Error("This server has no admin access.");
      }
      const identity = tokenType === "User" ? identityFromToken(value) : null;
      this.#caller = { ...this.#caller, identity };
    } catch (error) {
      this.send({
        type: "AuthError",
        error: (error as Error).message,
        baseVersion,
        authUpdateAttempted: true,
      });
      return;
    }
    this.#wanted.identity = baseVersion + 1;
    for (const query of this.#queries.values()) query.isStale = true;
    this.refresh();
  }

  async #mutate(session: Session, request: MutationRequest): Promise<void> {
    const caller = this.#caller;
    const response = await session.run(request.requestId, () =>
      runMutation(this.#backend, request, caller),
    );
    this.send(response);
    // To the client a mutation is done only when a transition has reached it.
    this.#owesTransition = true;
    this.refresh();
  }

  async #act(request: ClientMessage & { type: "Action" }): Promise<void> {
    const { requestId, udfPath: path, args } = request;
    const outcome = await this.#backend.call(
      "action",
      { path, args: args[0] ?? {} },
      this.#caller,
    );
    this.send({
      type: "ActionResponse",
      requestId,
      ...responseFields(outcome),
    });
  }

  /** Runs the queries that depend on these writes again. */
  onWrites(writes: Write[]): void {
    const touched = [...this.#queries.values()].filter(({ reads }) =>
      reads.some((read) => writes.some((write) => touches(write, read))),
    );
    if (touched.length === 0) return;
    for (const query of touched) query.isStale = true;
    this.refresh();
  }

  /** Brings the client up to date. Changes made meanwhile cause another round. */
  refresh(): void {
    this.#stale = true;
    if (!this.#refreshing) this.#refreshWhileStale().catch(this.#fail);
  }

  async #refreshWhileStale(): Promise<void> {
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
    this.send({
      type: "Transition",
      startVersion,
      endVersion: this.#told,
      modifications,
    });
  }
}

async function runMutation(
  backend: Backend,
  { requestId, udfPath: path, args }: MutationRequest,
  caller: Caller,
): Promise<MutationResponse> {
  const call = { path, args: args[0] ?? {} };
  const outcome = await backend.call("mutation", call, caller);
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
    throw new Error(`Base version ${actual} is not ${expected}`);
  }
}
