import { compareValues, type Value } from "convex/values";

export type Document = {
  readonly _id: string;
  readonly _creationTime: number;
  readonly [field: string]: Value | undefined;
};

/** An index with all its fields, including the creation time and id, which break ties. */
export type Index = { name: string; fields: readonly string[] };

export type Order = "asc" | "desc";

type Bound = { values: readonly (Value | undefined)[]; inclusive: boolean };

/** The documents of a table between two bounds in an index's order. A missing bound is open. */
export type Range = {
  table: string;
  index: Index;
  lower?: Bound;
  upper?: Bound;
};

// A shortcut: compareValues is slow, and nearly all values here are strings, numbers or timestamps.
function compare(a: Value | undefined, b: Value | undefined): number {
  if (
    (typeof a === "number" && typeof b === "number") ||
    (typeof a === "string" && typeof b === "string") ||
    (typeof a === "bigint" && typeof b === "bigint")
  ) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (a === b) return 0;
  return compareValues(a, b);
}

export function compareDocuments(
  a: Document,
  b: Document,
  fields: readonly string[],
): number {
  for (const field of fields) {
    const order = compare(a[field], b[field]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether a document lies before a range. */
export function isBefore({ index, lower }: Range, document: Document): boolean {
  if (lower === undefined) return false;
  const order = compareToBound(document, lower, index.fields);
  return order < 0 || (order === 0 && !lower.inclusive);
}

/** Whether a document lies after a range. */
export function isAfter({ index, upper }: Range, document: Document): boolean {
  if (upper === undefined) return false;
  const order = compareToBound(document, upper, index.fields);
  return order > 0 || (order === 0 && !upper.inclusive);
}

export function isInside(range: Range, document: Document): boolean {
  return !isBefore(range, document) && !isAfter(range, document);
}

function compareToBound(
  document: Document,
  { values }: Bound,
  fields: readonly string[],
): number {
  for (let i = 0; i < values.length; i++) {
    const order = compare(document[fields[i]!], values[i]);
    if (order !== 0) return order;
  }
  return 0;
}

/** The part of `range` that has been seen when reading it in `order` stopped at `last`. */
export function upTo(range: Range, last: Document, order: Order): Range {
  const values = range.index.fields.map((field) => last[field]);
  const bound = { values, inclusive: true };
  return order === "asc"
    ? { ...range, upper: bound }
    : { ...range, lower: bound };
}
