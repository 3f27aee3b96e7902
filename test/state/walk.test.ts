import { compareValues } from "convex/values";
import type { IndexKey, QueryStream } from "convex-helpers/server/stream";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  before,
  past,
  type Span,
  textAfter,
  walk,
} from "../../src/state/walk.js";

type Doc = { place: IndexKey };
type Bounds = Parameters<QueryStream<Doc>["narrow"]>[0];

const inOrder = (a: IndexKey, b: IndexKey) =>
  a.map((value, i) => compareValues(value, b[i])).find((sign) => sign !== 0) ??
  0;

/**
 * An index as SQLite serves it: whatever is taken of a range, each fetch of a hundred documents
 * reads the rest of it.
 */
class SlowIndex {
  ranges = 0;
  visited = 0;
  readonly places: IndexKey[];

  constructor(
    places: readonly IndexKey[],
    private readonly fields: string[],
    private readonly order: "asc" | "desc" = "asc",
  ) {
    this.places = places.toSorted(inOrder);
    if (order === "desc") this.places.reverse();
  }

  get stream(): QueryStream<Doc> {
    const index = {
      getOrder: () => this.order,
      getIndexFields: () => this.fields,
      getEqualityIndexFilter: () => [],
      narrow: (bounds: Bounds) => ({
        iterWithKeys: () => this.read(this.within(bounds)),
      }),
    };
    return index as unknown as QueryStream<Doc>;
  }

  private within(bounds: Bounds): IndexKey[] {
    const { lowerBound, lowerBoundInclusive } = bounds;
    const { upperBound, upperBoundInclusive } = bounds;
    const isAbove = (place: IndexKey) =>
      inOrder(lowerBound, place) < (lowerBoundInclusive ? 1 : 0);
    const isBelow = (place: IndexKey) =>
      inOrder(upperBound, place) > (upperBoundInclusive ? -1 : 0);
    const [isIn, isLeft] =
      this.order === "asc" ? [isAbove, isBelow] : [isBelow, isAbove];
    const first = this.firstWhere(isIn);
    return this.places.slice(
      first,
      this.firstWhere((p) => !isLeft(p)),
    );
  }

  private firstWhere(isFrom: (place: IndexKey) => boolean): number {
    let [low, high] = [0, this.places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isFrom(this.places[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private async *read(range: readonly IndexKey[]) {
    this.ranges += 1;
    for (const [i, place] of range.entries()) {
      if (i % 100 === 0) this.visited += range.length - i;
      yield [{ place }, place, 0] as const;
    }
  }
}

/** The first places of a walk. */
async function firstOf(
  index: SlowIndex,
  most: number,
  span?: Span,
  fields?: number,
) {
  const places: IndexKey[] = [];
  for await (const [, place] of walk(index.stream, span, fields)) {
    places.push(place);
    if (places.length === most) break;
  }
  return places;
}

const text = fc.string({
  unit: fc.constantFrom("a", "b", "\ud7ff", "\ue000", "\u{10ffff}", "😀"),
  maxLength: 5,
});
const time = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: 0, max: 1e12 }),
  fc.constantFrom(Infinity, -Infinity, NaN, 1e300),
);
const value = fc.oneof(
  text,
  time,
  fc.constant(undefined),
  fc.bigInt({ min: 0n, max: 2n ** 62n }),
);
const places = fc.uniqueArray(fc.tuple(value, value, fc.nat(3)), {
  maxLength: 300,
  selector: (place) => JSON.stringify(place.map(String)),
});
const cut: fc.Arbitrary<IndexKey> = fc.oneof(
  fc.constant<IndexKey>([]),
  fc.tuple(value),
  fc.tuple(value, value),
  fc.tuple(value, value, fc.nat(3)),
);

test("a walk meets each place of its span once, in order", async () => {
  const sides = fc.tuple(fc.boolean(), fc.boolean());
  const order = fc.constantFrom("asc" as const, "desc" as const);
  const fields = fc.integer({ min: 1, max: 3 });
  await fc.assert(
    fc.asyncProperty(
      ...[places, cut, cut, sides, order, fields],
      async (all, a, b, [isPastA, isPastB], order, fields) => {
        const index = new SlowIndex(all, ["a", "b", "c"], order);
        const sign = order === "asc" ? 1 : -1;
        const from = isPastA ? past(...a) : before(...a);
        const to = isPastB ? past(...b) : before(...b);
        // By the definition of a cut, one place at a time.
        const isIn = (place: IndexKey) => {
          const first = sign * inOrder(a, place);
          const last = sign * inOrder(b, place);
          return (
            (first < 0 || (first === 0 && !isPastA)) &&
            (last > 0 || (last === 0 && isPastB))
          );
        };
        const expected: IndexKey[] = [];
        for (const place of index.places.filter(isIn)) {
          const head = place.slice(0, fields);
          const last = expected.at(-1);
          if (last === undefined || inOrder(last, head) !== 0) {
            expected.push(head);
          }
        }
        const met = await firstOf(index, Infinity, { from, to }, fields);
        // A span may begin or end within a place.
        if (Math.max(a.length, b.length) <= fields) {
          expect(met).toEqual(expected);
        } else expect(new Set(met)).toEqual(new Set(expected));
      },
    ),
    { numRuns: 200 },
  );
});

test("textAfter is the first text that neither begins with a prefix nor comes before it", () => {
  fc.assert(
    fc.property(text, text, (prefix, other) => {
      const next = textAfter(prefix);
      const isBelow = next === undefined || compareValues(other, next) < 0;
      const isAtLeast = compareValues(other, prefix) >= 0;
      expect(isAtLeast && isBelow).toBe(other.startsWith(prefix));
    }),
  );
  expect(textAfter("a\u{10ffff}")).toBe("b");
  expect(textAfter("")).toBeUndefined();
});

const number = (n: number, digits: number) => String(n).padStart(digits, "0");
const fields = ["name", "key", "shard", "_creationTime", "_id"];
const rows = (count: number, of: (i: number) => [string, string]) =>
  new SlowIndex(
    Array.from({ length: count }, (_, i) => [...of(i), 0, i, `id${i}`]),
    fields,
  );

describe("where a read costs all that its range holds", () => {
  const many = 10_000;
  const shapes = {
    "300 limits": rows(many, (i) => [
      `limit ${number(i % 300, 3)}`,
      `user ${number(Math.floor(i / 300), 5)}`,
    ]),
    "one limit": rows(many, (i) => ["limit", `user ${number(i, 5)}`]),
    "a limit for each key": rows(many, (i) => [
      `limit ${number(i, 5)}`,
      "user",
    ]),
    "long keys": rows(many, (i) => [
      "limit",
      `user ${number(i, 5)}`.padEnd(1000, "x"),
    ]),
  };

  test.each(Object.entries(shapes))(
    "a page of keys reads little more than what there is, in %s",
    async (_, index) => {
      const [last] = (await firstOf(index, 50, undefined, 2)).slice(-1);
      index.ranges = index.visited = 0;
      await firstOf(index, 50, { from: past(...last!), to: past() }, 2);
      // Not one for each key.
      expect(index.ranges).toBeLessThan(40);
      // Keys that differ in the middle need one large range.
      expect(index.visited).toBeLessThan(1.1 * many);
    },
  );

  test("the names of limits cost less than two reads of everything", async () => {
    const index = shapes["300 limits"];
    index.ranges = index.visited = 0;
    const names = await firstOf(index, 50, undefined, 1);
    expect(names).toHaveLength(50);
    expect(index.visited).toBeLessThan(2 * many);
    expect(index.ranges).toBeLessThan(300);
  });

  test("to go through everything costs a few times as much as to read it once", async () => {
    const times = new SlowIndex(
      Array.from({ length: many }, (_, i) => [1e12 + 180 * i, i, `id${i}`]),
      ["fullAt", "_creationTime", "_id"],
    );
    expect(await firstOf(times, Infinity)).toHaveLength(many);
    expect(times.visited / many).toBeLessThan(20);
  });
});
