import {
  getFunctionName,
  type FunctionReference,
  type FunctionVisibility,
} from "convex/server";
import type { Value } from "convex/values";
import {
  compareDocuments,
  position,
  upTo,
  type Document,
  type Range,
} from "./ranges.js";
import type { Store, Write } from "./store.js";

type Fields = Record<string, Value | undefined>;
type Args = Record<string, unknown>;
/** A registered function, as it is at run time. */
type Registered = {
  _handler?: (ctx: object, args: Args) => unknown;
};
type Reference = FunctionReference<"query" | "mutation", FunctionVisibility>;

/** A component's modules by name, such as `{ lib }`. */
export type Modules = Record<string, Record<string, unknown>>;

/**
 * One transaction on the visible state: runs a registered function through its own handler and keeps what it
 * read and wrote. Nothing reaches the store before `writes` is applied to it.
 */
export class Transaction {
  /** What it depends on. */
  readonly reads: Range[] = [];
  readonly counts = {
    /** Documents read with a dependency; a look that found nothing counts as one. */
    rowsRead: 0,
    /** Documents read in the stale snapshot, without a dependency. */
    rowsPeeked: 0,
    rowsWritten: 0,
    staleQueries: 0,
    nestedCalls: 0,
  };
  private own = new Map<string, Write>();

  constructor(
    private readonly store: Store,
    private readonly modules: Modules,
    private readonly now: number,
  ) {}

  get writes(): Write[] {
    return [...this.own.values()];
  }

  /** Runs the function `name` ("module:export") at the top level. */
  run(name: string, args: Args): Promise<unknown> {
    return this.call(name, args, this.context(false));
  }

  private async call(name: string, args: Args, context: object) {
    const [module, exported = "default"] = name.split(":");
    const registered = this.modules[module!]?.[exported] as
      Registered | undefined;
    if (registered?._handler === undefined) {
      throw new Error(`no function ${name}`);
    }
    return await registered._handler(context, args);
  }

  private context(stale: boolean) {
    const runQuery = (
      reference: Reference,
      args: Args = {},
      options?: { useStaleSnapshot?: boolean },
    ) => {
      this.counts.nestedCalls++;
      const toStale = options?.useStaleSnapshot === true;
      if (toStale) {
        if (stale) throw new Error("a query cannot ask for a stale snapshot");
        this.counts.staleQueries++;
      }
      return this.call(
        getFunctionName(reference),
        args,
        this.context(stale || toStale),
      );
    };
    if (stale) return { db: this.reader(true), runQuery };
    return {
      db: { ...this.reader(false), ...this.writer() },
      scheduler: { runAfter: unsupported, runAt: unsupported },
      meta: {
        getTransactionMetrics: async () => ({
          documentsWritten: { used: this.counts.rowsWritten },
        }),
      },
      runQuery,
      runMutation: (reference: Reference, args: Args = {}) =>
        this.nestedMutation(getFunctionName(reference), args),
    };
  }

  private async nestedMutation(name: string, args: Args) {
    this.counts.nestedCalls++;
    const saved = new Map(this.own);
    try {
      return await this.call(name, args, this.context(false));
    } catch (error) {
      this.own = saved;
      throw error;
    }
  }

  private reader(stale: boolean) {
    return {
      get: async (...tableAndId: string[]) => {
        const range = this.rangeOf(tableAndId.at(-1)!);
        return this.read(range, "asc", 1, stale)[0] ?? null;
      },
      query: (table: string) =>
        new Query(table, this.store, (range, order, limit) =>
          this.read(range, order, limit, stale),
        ),
    };
  }

  private writer() {
    return {
      insert: async (table: string, fields: Fields) => {
        const _id = this.store.newId(table);
        // Distinct within the transaction, as on a deployment.
        const _creationTime = this.now + this.own.size / 1024;
        this.write(table, _id, () => ({ ...fields, _id, _creationTime }));
        return _id;
      },
      patch: async (...args: [...string[], Fields]) => {
        const fields = args.at(-1) as Fields;
        this.change(args.at(-2) as string, (old) => ({ ...old, ...fields }));
      },
      replace: async (...args: [...string[], Fields]) => {
        const fields = args.at(-1) as Fields;
        this.change(args.at(-2) as string, ({ _id, _creationTime }) => ({
          ...fields,
          _id,
          _creationTime,
        }));
      },
      delete: async (...args: string[]) =>
        this.change(args.at(-1)!, () => undefined),
    };
  }

  private change(id: string, update: (old: Document) => Document | undefined) {
    // Convex reads a document to change it.
    this.reads.push(this.rangeOf(id));
    this.write(tableOf(id), id, (old) => {
      if (old === undefined) throw new Error(`no document ${id}`);
      return update(old);
    });
  }

  private rangeOf(id: string): Range {
    const table = tableOf(id);
    const bound = { values: [id], inclusive: true };
    const index = this.store.index(table, "by_id");
    return { table, index, lower: bound, upper: bound };
  }

  private write(
    table: string,
    id: string,
    update: (old: Document | undefined) => Document | undefined,
  ) {
    const own = this.own.get(id);
    const before = own === undefined ? this.store.get(table, id) : own.before;
    const after = update(own === undefined ? before : own.after);
    this.own.set(id, {
      table,
      before,
      after: after && withoutUndefined(after),
    });
    this.counts.rowsWritten++;
  }

  private read(
    range: Range,
    order: "asc" | "desc",
    limit: number,
    stale: boolean,
  ): Document[] {
    const documents = stale
      ? this.store.read(range, order, limit)
      : this.withOwnWrites(range, order, limit);
    const rows = Math.max(1, documents.length);
    if (stale) {
      this.counts.rowsPeeked += rows;
    } else {
      this.counts.rowsRead += rows;
      const last = documents[limit - 1];
      this.reads.push(last === undefined ? range : upTo(range, last, order));
    }
    return documents;
  }

  private withOwnWrites(
    range: Range,
    order: "asc" | "desc",
    limit: number,
  ): Document[] {
    if (this.own.size === 0) return this.store.read(range, order, limit);
    const merged = this.store
      .read(range, order, Infinity)
      .filter(({ _id }) => !this.own.has(_id));
    for (const { table, after } of this.own.values()) {
      if (table !== range.table || after === undefined) continue;
      if (position(range, after) === 0) merged.push(after);
    }
    const sign = order === "asc" ? 1 : -1;
    return merged
      .sort((a, b) => sign * compareDocuments(a, b, range.index.fields))
      .slice(0, limit);
  }
}

async function unsupported(): Promise<never> {
  throw new Error("nothing runs after a simulated transaction");
}

function tableOf(id: string): string {
  return id.slice(0, id.indexOf("|"));
}

function withoutUndefined(document: Document): Document {
  const entries = Object.entries(document);
  if (entries.every(([, value]) => value !== undefined)) return document;
  return Object.fromEntries(
    entries.filter(([, value]) => value !== undefined),
  ) as Document;
}

type Read = (range: Range, order: "asc" | "desc", limit: number) => Document[];

class Query {
  private range: Range;
  private direction: "asc" | "desc" = "asc";

  constructor(
    table: string,
    private readonly store: Store,
    private readonly read: Read,
  ) {
    this.range = { table, index: store.index(table, "by_creation_time") };
  }

  withIndex(name: string, select?: (bounds: Bounds) => unknown): this {
    const { table } = this.range;
    const bounds = new Bounds();
    select?.(bounds);
    this.range = {
      table,
      index: this.store.index(table, name),
      ...bounds.result(),
    };
    return this;
  }

  order(direction: "asc" | "desc"): this {
    this.direction = direction;
    return this;
  }

  async collect() {
    return this.read(this.range, this.direction, Infinity);
  }

  async take(n: number) {
    return this.read(this.range, this.direction, n);
  }

  async first() {
    return this.read(this.range, this.direction, 1)[0] ?? null;
  }

  async unique() {
    const [document, second] = this.read(this.range, this.direction, 2);
    if (second !== undefined) throw new Error("unique() found two documents");
    return document ?? null;
  }

  /** Reads the whole range at once: a loop that stops early depends on more than it saw. */
  async *[Symbol.asyncIterator]() {
    yield* await this.collect();
  }
}

/** Builds a range from `q.eq(...).gte(...).lt(...)`. */
class Bounds {
  private readonly equal: (Value | undefined)[] = [];
  private lower: Range["lower"];
  private upper: Range["upper"];

  eq(_field: string, value: Value | undefined): this {
    this.equal.push(value);
    return this;
  }
  gt(_field: string, value: Value | undefined): this {
    this.lower = { values: [...this.equal, value], inclusive: false };
    return this;
  }
  gte(_field: string, value: Value | undefined): this {
    this.lower = { values: [...this.equal, value], inclusive: true };
    return this;
  }
  lt(_field: string, value: Value | undefined): this {
    this.upper = { values: [...this.equal, value], inclusive: false };
    return this;
  }
  lte(_field: string, value: Value | undefined): this {
    this.upper = { values: [...this.equal, value], inclusive: true };
    return this;
  }

  result(): Pick<Range, "lower" | "upper"> {
    const equal =
      this.equal.length > 0
        ? { values: this.equal, inclusive: true }
        : undefined;
    return { lower: this.lower ?? equal, upper: this.upper ?? equal };
  }
}
