import type { Value } from "convex/values";
import { atCommit, COMMIT_TS } from "./commitTs.js";
import { join } from "./components.js";
import type { Document, Order, Range } from "./ranges.js";
import type { VisibleState, Transaction } from "./transaction.js";

type Fields = Record<string, Value | undefined>;

/** `ctx.db` of a query of the component at `path`. A stale query sees `look` instead. */
export class Reader {
  constructor(
    protected readonly transaction: Transaction,
    protected readonly path: string,
    private readonly look?: VisibleState,
  ) {}

  get system() {
    return this;
  }

  normalizeId(table: string, id: string) {
    return id.startsWith(`${join(this.path, table)}|`) ? id : null;
  }

  async get(...tableAndId: string[]) {
    const range = this.transaction.rangeOf(tableAndId.at(-1)!);
    return this.transaction.read(range, "asc", 1, this.look)[0] ?? null;
  }

  query(table: string) {
    return new Query(this.transaction, join(this.path, table), this.look);
  }
}

/** `ctx.db` of a mutation. */
export class Writer extends Reader {
  get vars() {
    this.transaction.usesCommitTs = true;
    return { commitTs: COMMIT_TS };
  }

  async insert(table: string, fields: Fields) {
    this.transaction.counts.rowsWritten++;
    return this.transaction.insert(join(this.path, table), fields);
  }

  async patch(...args: [...string[], Fields]) {
    const fields = args.at(-1) as Fields;
    this.change(args.at(-2) as string, (old) => ({ ...old, ...fields }));
  }

  async replace(...args: [...string[], Fields]) {
    const fields = args.at(-1) as Fields;
    this.change(args.at(-2) as string, ({ _id, _creationTime }) => ({
      // The spread comes last: V8 is slow with objects that grow after a spread.
      _id,
      _creationTime,
      ...fields,
    }));
  }

  async delete(...args: string[]) {
    this.change(args.at(-1)!, () => undefined);
  }

  private change(id: string, update: (old: Document) => Document | undefined) {
    this.transaction.counts.rowsWritten++;
    this.transaction.change(id, update);
  }
}

class Query {
  private range: Range;
  private direction: Order = "asc";

  constructor(
    private readonly transaction: Transaction,
    table: string,
    private readonly look: VisibleState | undefined,
  ) {
    const index = transaction.index(table, "by_creation_time");
    this.range = { table, index };
  }

  withIndex(name: string, select?: (bounds: Bounds) => unknown): this {
    const { table } = this.range;
    const bounds = new Bounds();
    select?.(bounds);
    this.range = {
      table,
      index: this.transaction.index(table, name),
      ...bounds.result(),
    };
    return this;
  }

  order(direction: Order): this {
    this.direction = direction;
    return this;
  }

  async collect() {
    return this.read(Infinity);
  }

  async take(n: number) {
    return this.read(n);
  }

  async first() {
    return this.read(1)[0] ?? null;
  }

  async unique() {
    const [document, second] = this.read(2);
    if (second !== undefined) throw new Error("unique() found two documents");
    return document ?? null;
  }

  [Symbol.asyncIterator]() {
    return this.transaction.scan(this.range, this.direction, this.look);
  }

  private read(limit: number) {
    return this.transaction.read(this.range, this.direction, limit, this.look);
  }
}

/** Builds a range from `q.eq(...).gte(...).lt(...)`. */
class Bounds {
  private readonly equal: (Value | undefined)[] = [];
  private lower: Range["lower"];
  private upper: Range["upper"];

  eq(_field: string, value: Value | undefined): this {
    this.equal.push(atCommit(value));
    return this;
  }
  gt(_field: string, value: Value | undefined): this {
    this.lower = this.bound(value, false);
    return this;
  }
  gte(_field: string, value: Value | undefined): this {
    this.lower = this.bound(value, true);
    return this;
  }
  lt(_field: string, value: Value | undefined): this {
    this.upper = this.bound(value, false);
    return this;
  }
  lte(_field: string, value: Value | undefined): this {
    this.upper = this.bound(value, true);
    return this;
  }

  private bound(value: Value | undefined, inclusive: boolean) {
    return { values: [...this.equal, atCommit(value)], inclusive };
  }

  result(): Pick<Range, "lower" | "upper"> {
    const equal =
      this.equal.length > 0
        ? { values: this.equal, inclusive: true }
        : undefined;
    return { lower: this.lower ?? equal, upper: this.upper ?? equal };
  }
}
