import { AsyncLocalStorage } from "node:async_hooks";
import {
  CommitTsPlaceholder,
  compareValues,
  type JSONValue,
  jsonToConvex,
  type Value,
} from "convex/values";
import type { RegisteredFunction } from "./app.js";

type Bound = {
  type: "Eq" | "Gt" | "Gte" | "Lt" | "Lte";
  fieldPath: string;
  value: JSONValue;
};

type Document = Record<string, Value | undefined>;

/** A whole range of a table's index, however few of its documents were taken. */
export type Read = { component: string; table: string; bounds: Bound[] };

export type Write = {
  /** Absent: any. */
  component?: string;
  table: string;
  /** The document before and after. Absent: unknown. */
  documents?: Document[];
};

/** Whether a query that made this read might now find something else. */
export function touches(write: Write, read: Read): boolean {
  const { component = read.component, documents } = write;
  return (
    component === read.component &&
    read.table === write.table &&
    (documents === undefined ||
      documents.some((document) =>
        read.bounds.every((bound) => isWithin(document, bound)),
      ))
  );
}

function isWithin(document: Document, bound: Bound): boolean {
  const actual = fieldOf(document, bound.fieldPath);
  // Its value is known only at the commit.
  if (actual instanceof CommitTsPlaceholder) return true;
  const order = compareValues(actual, boundValue(bound.value));
  switch (bound.type) {
    case "Eq":
      return order === 0;
    case "Gt":
      return order > 0;
    case "Gte":
      return order >= 0;
    case "Lt":
      return order < 0;
    case "Lte":
      return order <= 0;
  }
}

function fieldOf(document: Document, path: string): Value | undefined {
  return path
    .split(".")
    .reduce<unknown>(
      (value, field) =>
        typeof value === "object" && value !== null
          ? (value as Record<string, unknown>)[field]
          : undefined,
      document,
    ) as Value | undefined;
}

function boundValue(json: JSONValue): Value | undefined {
  const isUndefined =
    typeof json === "object" && json !== null && "$undefined" in json;
  return isUndefined ? undefined : jsonToConvex(json);
}

/** A function that is running. */
type Execution = {
  component: string;
  /** What it has read so far, if that is recorded. */
  reads?: Read[];
  /** What it has written so far, if it is a mutation. */
  writes?: Write[];
  /** The time of its transaction. */
  now?: number;
};

const executions = new AsyncLocalStorage<Execution>();

/** Runs `body`, and adds what it reads to `reads`. */
export function recordReads<T>(
  reads: Read[],
  body: () => Promise<T>,
): Promise<T> {
  return executions.run({ component: "", reads }, body);
}

/**
 * Wraps a function of the component. Unless it is an action, its clock stands still. When it has
 * run, passes what it wrote to the mutation that called it, or else to `publish`, before the
 * commit; nothing if it threw.
 */
export function recorded(
  registered: RegisteredFunction,
  component: string,
  publish: (writes: Write[]) => void,
): RegisteredFunction {
  const handler = async (ctx: unknown, args: unknown) => {
    const caller = executions.getStore();
    const execution: Execution = { component };
    if (registered.isQuery) execution.reads = caller?.reads;
    if (registered.isMutation) execution.writes = [];
    // convex-test puts it back, too, unless it may not replace Date.
    const { Date } = globalThis;
    if (!registered.isAction) {
      execution.now = caller?.now ?? Date.now();
      globalThis.Date = stoppedAt(execution.now);
    }
    let written: Write[] = [];
    try {
      const result = await executions.run(execution, () =>
        Promise.resolve(registered._handler(ctx, args)),
      );
      written = execution.writes ?? [];
      return result;
    } finally {
      if (!registered.isAction) globalThis.Date = Date;
      // What it schedules inherits this context, but is not part of the call.
      execution.writes = execution.now = undefined;
      if (caller?.writes !== undefined) caller.writes.push(...written);
      else if (!registered.isQuery) publish(written);
    }
  };
  return Object.create(registered, {
    _handler: { value: handler },
  }) as RegisteredFunction;
}

function stoppedAt(now: number): DateConstructor {
  return new Proxy(Date, {
    construct: (date, args: [], target) =>
      Reflect.construct(date, args.length === 0 ? [now] : args, target) as Date,
    apply: (date) => new date(now).toString(),
    get: (date, name) =>
      name === "now" ? () => now : (Reflect.get(date, name) as unknown),
  });
}

type Syscalls = {
  syscall(op: string, json: string): string;
  asyncSyscall(op: string, json: string): Promise<string>;
  jsSyscall(op: string, args: object): unknown;
};

type Source = {
  tableName?: string;
  indexName?: string;
  range?: Bound[];
};

let isInstalled = false;

/** Records what functions read and write, by wrapping the system calls of convex-test. */
export function installRecorder(): void {
  if (isInstalled) return;
  isInstalled = true;
  const host = globalThis as unknown as { Convex: Syscalls };
  const convex = host.Convex;
  host.Convex = {
    syscall: (op, json) => {
      noteRead(op, json);
      return convex.syscall(op, json);
    },
    asyncSyscall: async (op, json) => {
      noteRead(op, json);
      const execution = executions.getStore();
      if (!isWrite(op) || execution?.writes === undefined) {
        return convex.asyncSyscall(op, json);
      }
      const find = async (id: string) => {
        const found = await convex.asyncSyscall(
          "1.0/get",
          JSON.stringify({ id }),
        );
        return jsonToConvex(JSON.parse(found) as JSONValue) as Document | null;
      };
      const { id: changed } = JSON.parse(json) as { id?: string };
      const before = changed === undefined ? null : await find(changed);
      const result = await convex.asyncSyscall(op, json);
      const { _id = changed! } = JSON.parse(result) as { _id?: string };
      const documents = [before, await find(_id)].filter((d) => d !== null);
      execution.writes.push({
        component: execution.component,
        table: tableOf(_id),
        documents,
      });
      return result;
    },
    jsSyscall: (op, args) => convex.jsSyscall(op, args),
  };
}

/** In convex-test, an id is a number followed by the table's name. */
function tableOf(id: string): string {
  return id.replace(/^\d+/, "");
}

function isWrite(op: string): boolean {
  return /^1\.0\/(insert|shallowMerge|replace|remove)$/.test(op);
}

function noteRead(op: string, json: string): void {
  const { component, reads } = executions.getStore() ?? {};
  if (component === undefined || reads === undefined) return;
  const read = readOf(op, json);
  if (read !== undefined) reads.push({ component, ...read });
}

function readOf(op: string, json: string): Omit<Read, "component"> | undefined {
  switch (op) {
    case "1.0/get": {
      const { id } = JSON.parse(json) as { id: string };
      const bound: Bound = { type: "Eq", fieldPath: "_id", value: id };
      return { table: tableOf(id), bounds: [bound] };
    }
    case "1.0/count": {
      const { table } = JSON.parse(json) as { table: string };
      return { table, bounds: [] };
    }
    case "1.0/queryStream":
    case "1.0/queryPage": {
      const { query } = JSON.parse(json) as { query: { source: Source } };
      const { tableName, indexName, range } = query.source;
      const [table = ""] = (tableName ?? indexName ?? "").split(".");
      return { table, bounds: range ?? [] };
    }
    default:
      return undefined;
  }
}
