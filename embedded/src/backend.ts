import { AsyncResource } from "node:async_hooks";
import { convexTest, type TestConvex } from "convex-test";
import {
  type GenericSchema,
  makeFunctionReference,
  type SchemaDefinition,
  type UserIdentity,
} from "convex/server";
import {
  ConvexError,
  convexToJson,
  type JSONValue,
  jsonToConvex,
  type Value,
} from "convex/values";
import {
  type App,
  type FunctionKind,
  loadModules,
  type Modules,
  PublicFunctions,
} from "./app.js";
import {
  installRecorder,
  type Read,
  recorded,
  recordReads,
  type Write,
} from "./changes.js";
import { startCrons } from "./crons.js";

/** Who calls, as `ctx.auth` and `ctx.meta.getRequestMetadata()` report it. */
export type Caller = {
  identity: Partial<UserIdentity> | null;
  ip: string | null;
  userAgent: string | null;
};

/** A function's result, or its error, as Convex's protocols send them. */
export type FunctionResult =
  | { ok: true; value: JSONValue }
  | { ok: false; message: string; data?: JSONValue };

export type FunctionCall = { path: string; args: JSONValue };

/** A possible change of scheduled functions: convex-test does not report these. */
const JOBS: Write = { table: "_scheduled_functions" };

type Args = Record<string, Value>;
type TestBackend = TestConvex<SchemaDefinition<GenericSchema, boolean>>;

/** A Convex app running in this process, over convex-test. */
export class Backend {
  readonly #t: TestBackend;
  readonly #functions: PublicFunctions;
  readonly #changes: Changes;
  readonly #crons: { stop(): void }[];

  private constructor(
    t: TestBackend,
    functions: PublicFunctions,
    changes: Changes,
    crons: { stop(): void }[],
  ) {
    this.#t = t;
    this.#functions = functions;
    this.#changes = changes;
    this.#crons = crons;
  }

  /** @param onCron - Called with the name of a cron's function whenever it has run. */
  static async start(
    app: App,
    onCron: (name: string) => void = () => undefined,
  ): Promise<Backend> {
    const changes = new Changes();
    const publish = (writes: Write[]) => {
      changes.notify([...writes, JOBS]);
      // A job changes its state only after its function has run.
      const notify = () => changes.notify([JOBS]);
      void t.finishInProgressScheduledFunctions().then(notify, notify);
    };
    const load = (modules: Modules, component: string) =>
      loadModules(modules, (registered) =>
        recorded(registered, component, publish),
      );

    const modules = await load(app.modules, "");
    const t: TestBackend = convexTest({ schema: app.schema, modules });
    installRecorder();
    const crons = await startCrons(t, "", modules, onCron);
    for (const [path, schema, unloaded] of registrations(app, t)) {
      const loaded = await load(unloaded, path);
      t.registerComponent(path, schema, loaded);
      crons.push(...(await startCrons(t, path, loaded, onCron)));
    }
    return new Backend(t, await PublicFunctions.of(modules), changes, crons);
  }

  /** Stops the crons. */
  close(): void {
    for (const cron of this.#crons) cron.stop();
  }

  /** Calls `listener` before each commit, with what it may change. */
  onChange(listener: (writes: Write[]) => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** Runs a public function, if it is of the kind that the client expects. */
  async call(
    kind: FunctionKind | "any",
    call: FunctionCall,
    caller: Caller,
  ): Promise<FunctionResult> {
    return resultOf(async () => {
      const found = this.#find(kind, call.path);
      const args = jsonToConvex(call.args) as Args;
      const t = this.#as(caller);
      switch (found.kind) {
        case "query":
          return t.query(reference<"query">(found.name), args);
        case "mutation":
          return t.mutation(reference<"mutation">(found.name), args);
        case "action":
          return t.action(reference<"action">(found.name), args);
      }
    });
  }

  /**
   * Runs public queries on one snapshot of the data. `ts` is the time of the snapshot's last
   * commit. Adds what each query reads to its `reads`.
   */
  async snapshot(
    calls: (FunctionCall & { reads?: Read[] })[],
    caller: Caller,
  ): Promise<{ ts: bigint; outcomes: FunctionResult[] }> {
    const outcomes: FunctionResult[] = [];
    let ts = 0n;
    await this.#as(caller).query(async (ctx) => {
      ts = ctx.meta.getSnapshotTs();
      for (const { path, args, reads = [] } of calls) {
        outcomes.push(
          await resultOf(async () => {
            const { name } = this.#find("query", path);
            return recordReads(reads, () =>
              ctx.runQuery(
                reference<"query">(name),
                jsonToConvex(args) as Args,
              ),
            );
          }),
        );
      }
    });
    return { ts, outcomes };
  }

  /** Runs the HTTP action that the app's router has for `path`, or answers 404. */
  async fetch(
    path: string,
    init: RequestInit,
    caller: Caller,
  ): Promise<Response> {
    if (!this.#functions.hasHttpRouter) {
      return new Response("This app has no HTTP actions.\n", { status: 404 });
    }
    try {
      return await this.#as(caller).fetch(path, init);
    } finally {
      this.#changes.notify([JOBS]);
    }
  }

  #find(kind: FunctionKind | "any", path: string) {
    const found = this.#functions.find(path);
    if (kind !== "any" && kind !== found.kind) {
      throw new Error(
        `Trying to execute ${path} as ${kind}, but it is defined as ${found.kind}.`,
      );
    }
    return found;
  }

  #as({ identity, ip, userAgent }: Caller) {
    const t = this.#t.withRequestMetadata({ ip, userAgent });
    return identity === null ? t : t.withIdentity(identity);
  }
}

class Changes {
  readonly #listeners = new Set<(writes: Write[]) => void>();

  /**
   * Runs in the async context in which this object was made, so that a listener that queries does
   * not do so within the transaction of the function that has just run.
   */
  readonly notify = AsyncResource.bind((writes: Write[]) => {
    for (const listener of this.#listeners) listener(writes);
  });

  subscribe(listener: (writes: Write[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function reference<Kind extends FunctionKind>(name: string) {
  return makeFunctionReference<Kind, Args, Value>(name);
}

/** What the app's `register` functions register. */
function registrations(app: App, t: TestBackend) {
  const found: Parameters<TestBackend["registerComponent"]>[] = [];
  for (const register of app.components ?? []) {
    register({
      ...t,
      registerComponent: (...registration) => {
        found.push(registration);
        return t.registerComponent(...registration);
      },
    });
  }
  return found;
}

async function resultOf(run: () => Promise<Value>): Promise<FunctionResult> {
  try {
    return { ok: true, value: convexToJson(await run()) };
  } catch (error) {
    const message = `Server Error\nUncaught ${String(error)}`;
    return error instanceof ConvexError
      ? { ok: false, message, data: convexToJson(error.data as Value) }
      : { ok: false, message };
  }
}
