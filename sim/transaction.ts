import { getDocumentSize, type Value } from "convex/values";
import { resolveFields } from "./commitTs.js";
import type { Mounts } from "./components.js";
import type { Work } from "./prices.js";
import {
  compareDocuments,
  isInside,
  upTo,
  type Document,
  type Index,
  type Order,
  type Range,
} from "./ranges.js";
import type { Store, Write } from "./store.js";

type Fields = Record<string, Value | undefined>;

/** The state of a scheduled function. */
export type JobState =
  "pending" | "inProgress" | "success" | "failed" | "canceled";

/** A state of all tables, and the last commit that it shows. */
export type VisibleState = { store: Store; ts: bigint };

/** What a transaction has done. */
export type Counts = Work & {
  /** Documents read with a dependency; a read that found nothing counts as one. */
  rowsRead: number;
  /** Documents read in the stale snapshot, without a dependency. */
  rowsPeeked: number;
};

export const noCounts = (): Counts => ({
  rowsRead: 0,
  rowsPeeked: 0,
  rowsWritten: 0,
  ranges: 0,
  calls: 0,
  modules: 0,
  looks: 0,
  metrics: 0,
});

/** What a transaction sees. */
type Snapshot = VisibleState & {
  mounts: Mounts;
  /** The clock, in ms since the epoch. It stands still. */
  now: number;
  /** What the next stale query sees. Default the same state. */
  look?: () => VisibleState;
};

/**
 * A transaction on the visible state. Records what functions read and write. Its `writes` reach the
 * store only when they are applied to it.
 */
export class Transaction {
  /** The ranges that it depends on. */
  readonly reads: Range[] = [];
  readonly counts = noCounts();
  /** Whether anything may hold the placeholder of its commit's timestamp. */
  usesCommitTs = false;
  private own = new Map<string, Write>();
  private readonly documentsRead: Document[] = [];
  private readonly sized = { documents: 0, bytes: 0 };

  constructor(readonly snapshot: Snapshot) {}

  get now(): number {
    return this.snapshot.now;
  }

  // Computed on demand, since sizes are slow to compute.
  get bytesRead(): number {
    const { documentsRead, sized } = this;
    while (sized.documents < documentsRead.length) {
      const document = documentsRead[sized.documents++]!;
      sized.bytes += getDocumentSize(document as Record<string, Value>);
    }
    return sized.bytes;
  }

  get writes(): Write[] {
    return [...this.own.values()];
  }

  /** What it writes if it commits at `ts`. */
  writesAt(ts: bigint): Write[] {
    const { writes } = this;
    if (!this.usesCommitTs) return writes;
    return writes.map((write) => ({
      ...write,
      after: write.after && resolveFields(write.after, ts),
    }));
  }

  /** Marks a scheduled function as in progress, which only the function itself sees. */
  begin(record: string): void {
    this.setState(record, "inProgress");
  }

  /** Ends a scheduled function, and its record if it has one. A failed one keeps no other write. */
  end(state: "success" | "failed", record?: string): void {
    if (state === "failed") this.own.clear();
    if (record !== undefined) this.setState(record, state);
  }

  setState(record: string, kind: JobState): void {
    this.change(record, (old) => ({ ...old, state: { kind } }));
  }

  /** What a stale query sees. */
  look(): VisibleState {
    this.counts.looks++;
    const { look } = this.snapshot;
    return look === undefined ? this.snapshot : look();
  }

  /** Runs `body`, and undoes its writes if it throws. */
  async atomically<T>(body: () => Promise<T>): Promise<T> {
    const saved = new Map(this.own);
    try {
      return await body();
    } catch (error) {
      this.own = saved;
      throw error;
    }
  }

  index(table: string, name: string): Index {
    return this.snapshot.store.index(table, name);
  }

  insert(table: string, fields: Fields): string {
    const _id = this.snapshot.store.newId(table);
    // Distinct within the transaction, as on a deployment.
    const _creationTime = this.snapshot.now + this.own.size / 1024;
    this.write(table, _id, () => ({ _id, _creationTime, ...fields }));
    return _id;
  }

  change(id: string, update: (old: Document) => Document | undefined) {
    // Convex reads a document to change it.
    this.reads.push(this.rangeOf(id));
    this.write(tableOf(id), id, (old) => {
      if (old === undefined) throw new Error(`no document ${id}`);
      return update(old);
    });
  }

  rangeOf(id: string): Range {
    const table = tableOf(id);
    const bound = { values: [id], inclusive: true };
    const index = this.snapshot.store.index(table, "by_id");
    return { table, index, lower: bound, upper: bound };
  }

  private write(
    table: string,
    id: string,
    update: (old: Document | undefined) => Document | undefined,
  ) {
    const own = this.own.get(id);
    const before =
      own === undefined ? this.snapshot.store.get(table, id) : own.before;
    const after = update(own === undefined ? before : own.after);
    this.own.set(id, {
      table,
      before,
      after: after && withoutUndefined(after),
    });
  }

  /** @param look What a stale query sees. Without it, the transaction depends on what it reads. */
  read(
    range: Range,
    order: Order,
    limit: number,
    look?: VisibleState,
  ): Document[] {
    const documents = this.fetch(range, order, limit, look);
    this.counts.ranges++;
    for (const document of documents) this.documentsRead.push(document);
    const rows = Math.max(1, documents.length);
    if (look !== undefined) {
      this.counts.rowsPeeked += rows;
    } else {
      this.counts.rowsRead += rows;
      const last = documents[limit - 1];
      this.reads.push(last === undefined ? range : upTo(range, last, order));
    }
    return documents;
  }

  /** Reads a range as far as it is iterated, and depends on no more. */
  async *scan(range: Range, order: Order, look?: VisibleState) {
    this.counts.ranges++;
    const depends = look === undefined;
    const counted = depends ? "rowsRead" : "rowsPeeked";
    this.counts[counted]++;
    let consumed = 0;
    const read = this.reads.length;
    for (const document of this.visible(range, order, look)) {
      if (consumed++ > 0) this.counts[counted]++;
      this.documentsRead.push(document);
      if (depends) this.reads[read] = upTo(range, document, order);
      yield document;
    }
    if (depends) this.reads[read] = range;
  }

  private fetch(
    range: Range,
    order: Order,
    limit: number,
    look: VisibleState | undefined,
  ): Document[] {
    if (look !== undefined || this.own.size === 0) {
      return (look ?? this.snapshot).store.read(range, order, limit);
    }
    const documents: Document[] = [];
    for (const document of this.visible(range, order)) {
      if (documents.length === limit) break;
      documents.push(document);
    }
    return documents;
  }

  /** The documents of a range, with the transaction's own writes. */
  private *visible(range: Range, order: Order, look?: VisibleState) {
    const stored = (look ?? this.snapshot).store.scan(range, order);
    if (look !== undefined || this.own.size === 0) {
      yield* stored;
      return;
    }
    const compare = (a: Document, b: Document) =>
      (order === "asc" ? 1 : -1) * compareDocuments(a, b, range.index.fields);
    // A loop, since a transaction that deletes a thousand documents comes here a thousand times.
    const own: Document[] = [];
    for (const { table, after } of this.own.values()) {
      if (after === undefined || table !== range.table) continue;
      if (isInside(range, after)) own.push(after);
    }
    own.sort(compare);
    let next = 0;
    for (const document of stored) {
      if (this.own.has(document._id)) continue;
      while (next < own.length && compare(own[next]!, document) < 0) {
        yield own[next++]!;
      }
      yield document;
    }
    yield* own.slice(next);
  }
}

function tableOf(id: string): string {
  return id.slice(0, id.indexOf("|"));
}

function withoutUndefined(document: Document): Document {
  const kept: Record<string, Value> = {};
  for (const field in document) {
    const value = document[field];
    if (value !== undefined) kept[field] = value;
  }
  return kept as Document;
}
