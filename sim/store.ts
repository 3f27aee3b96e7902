import { join, type Component } from "./components.js";
import {
  compareDocuments,
  isAfter,
  isBefore,
  type Document,
  type Index,
  type Order,
  type Range,
} from "./ranges.js";

/** One document's change: `before` is undefined for an insert, `after` for a deletion. */
export type Write = {
  table: string;
  before: Document | undefined;
  after: Document | undefined;
};

type Sorted = { index: Index; documents: Document[] };
type Table = { byId: Map<string, Document>; indexes: Map<string, Sorted> };

/** The system table of scheduled functions. Real deployments have one per component. */
export const SCHEDULED = "_scheduled_functions";

/** The state of all tables of a deployment. */
export class Store {
  private readonly tables = new Map<string, Table>();
  /** Shared by all copies, so that no two documents get the same id. */
  private created = { documents: 0 };

  constructor(mounts: Iterable<[string, Component]>) {
    this.addTable(SCHEDULED, []);
    for (const [path, { schema }] of mounts) {
      for (const [name, definition] of Object.entries(schema.tables)) {
        const indexes = definition[" indexes"]();
        this.addTable(
          join(path, name),
          indexes.map(({ indexDescriptor, fields }) => ({
            name: indexDescriptor,
            fields: [...fields, "_creationTime", "_id"],
          })),
        );
      }
    }
  }

  newId(table: string): string {
    return `${table}|${++this.created.documents}`;
  }

  /** An independent copy. */
  copy(): Store {
    const copy = new Store([]);
    for (const [name, { byId, indexes }] of this.tables) {
      const copied = [...indexes].map(
        ([index, sorted]) =>
          [index, { ...sorted, documents: sorted.documents.slice() }] as const,
      );
      copy.tables.set(name, {
        byId: new Map(byId),
        indexes: new Map(copied),
      });
    }
    copy.created = this.created;
    return copy;
  }

  index(table: string, name: string): Index {
    return this.sorted(table, name).index;
  }

  get(table: string, id: string): Document | undefined {
    return this.table(table).byId.get(id);
  }

  /** The documents of a range in the index's order or against it, at most `limit`. */
  read(range: Range, order: Order, limit: number): Document[] {
    const { documents } = this.sorted(range.table, range.index.name);
    const [start, end] = within(documents, range);
    return order === "asc"
      ? documents.slice(start, Math.min(end, start + limit))
      : documents.slice(Math.max(start, end - limit), end).reverse();
  }

  /** The same documents, fetched one after another. */
  *scan(range: Range, order: Order): Iterable<Document> {
    const { documents } = this.sorted(range.table, range.index.name);
    const [start, end] = within(documents, range);
    if (order === "asc") {
      for (let i = start; i < end; i++) yield documents[i]!;
    } else {
      for (let i = end - 1; i >= start; i--) yield documents[i]!;
    }
  }

  apply(writes: Iterable<Write>): void {
    for (const { table, before, after } of writes) {
      const { byId, indexes } = this.table(table);
      if (before !== undefined) byId.delete(before._id);
      if (after !== undefined) byId.set(after._id, after);
      for (const { index, documents } of indexes.values()) {
        if (before !== undefined) {
          documents.splice(place(documents, before, index), 1);
        }
        if (after !== undefined) {
          documents.splice(place(documents, after, index), 0, after);
        }
      }
    }
  }

  private addTable(name: string, declared: readonly Index[]): void {
    const indexes = new Map<string, Sorted>();
    for (const index of [
      { name: "by_id", fields: ["_id"] },
      { name: "by_creation_time", fields: ["_creationTime", "_id"] },
      ...declared,
    ]) {
      indexes.set(index.name, { index, documents: [] });
    }
    this.tables.set(name, { byId: new Map(), indexes });
  }

  private table(name: string): Table {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`no table ${name}`);
    return table;
  }

  private sorted(table: string, name: string): Sorted {
    const sorted = this.table(table).indexes.get(name);
    if (sorted === undefined) throw new Error(`no index ${table}.${name}`);
    return sorted;
  }
}

function place(documents: Document[], document: Document, index: Index) {
  return firstIndex(
    documents,
    (other) => compareDocuments(other, document, index.fields) >= 0,
  );
}

/** The index of a range's first document, and the index after its last. */
function within(documents: Document[], range: Range): [number, number] {
  const start = firstIndex(documents, (d) => !isBefore(range, d));
  return [start, firstIndex(documents, (d) => isAfter(range, d), start)];
}

/** The first index, from `from` on, whose item passes. All later items must pass, too. */
function firstIndex<T>(
  items: readonly T[],
  passes: (item: T) => boolean,
  from = 0,
) {
  let low = from;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (passes(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
