import fc from "fast-check";
import { expect, test } from "vitest";
import { toHash, toRoute, type Route } from "../../dashboard/page/route.js";
import {
  foldedPiecesOf,
  isLong,
  piecesOf,
  plain,
} from "../../dashboard/page/unseen.js";

/** A text as it is seen, with its codes in brackets. */
const seen = (text: string) =>
  piecesOf(text)
    .map(({ text, isCode }) => (isCode ? `[${text}]` : text))
    .join("");

test.each([
  ["ada@example.com", "ada@example.com"],
  ["John F. Smith", "John F. Smith"],
  ["שלום", "שלום"],
  ["ada\u202e81:12 litnu", "ada[U+202E]81:12 litnu"],
  ["\u2067\u2067a", "[U+2067×2]a"],
  ["\u0000\n\u007f", "[U+0000][U+000A][U+007F]"],
  [" a  b ", "[space]a[space×2]b[space]"],
  ["   ", "[space×3]"],
  ["a\u00a0b\u3000", "a[U+00A0]b[U+3000]"],
  ["a\u200b\u200c\ufeffb", "a[U+200B][U+200C][U+FEFF]b"],
  ["\u115f\u3164\u2800\u00ad", "[U+115F][U+3164][U+2800][U+00AD]"],
  ["\ud800", "[U+D800]"],
  ["\u{e0041}", "[U+E0041]"],
  ["\u0301a", "[U+0301]a"],
  ["z\u0301\u0302\u0303\u0304", "z\u0301\u0302\u0303[U+0304]"],
  ["❤\ufe0f 👩\u200d💻", "❤\ufe0f 👩\u200d💻"],
  ["a\ufe0fb\u200d", "a[U+FE0F]b[U+200D]"],
])("%j is seen as %j", (text, shown) => {
  expect(seen(text)).toBe(shown);
});

/** Any character, half of a surrogate pair included. `unit: "binary"` takes a second to set up. */
const character = fc
  .oneof(...[0xff, 0xffff, 0x10ffff].map((max) => fc.nat({ max })))
  .map((code) => String.fromCodePoint(code));

test("every text shows something, and no hidden character", () => {
  fc.assert(
    fc.property(fc.string({ unit: character, minLength: 1 }), (text) => {
      const pieces = piecesOf(text);
      expect(pieces.length).toBeGreaterThan(0);
      const rest = pieces.filter(({ isCode }) => !isCode);
      expect(rest.map(({ text }) => text).join("")).not.toMatch(
        /[\p{Cc}\p{Bidi_Control}\u200b\p{Zl}\p{Zp}]/u,
      );
    }),
  );
});

test("a long text folds to its beginning and its end", () => {
  const text = `${"a".repeat(50)}${"b".repeat(954)}${"c".repeat(20)}`;
  expect(foldedPiecesOf(text)).toEqual([
    { text: "a".repeat(50), isCode: false },
    { text: "… 954 more …", isCode: true },
    { text: "c".repeat(20), isCode: false },
  ]);
  expect(isLong("a".repeat(80))).toBe(false);
  expect(foldedPiecesOf(" ".repeat(1024))).toEqual(piecesOf(" ".repeat(1024)));
});

test("a plain text does not reorder the text around it", () => {
  expect(plain("ada")).toBe("ada");
  expect(plain("a\u202eb")).toBe("\u2068a⟨U+202E⟩b\u2069");
});

const text = fc.oneof(
  fc.constantFrom("", "/", "%", "#", "keys", "all", "a b"),
  fc.string({ unit: "grapheme" }),
);
const cursors = fc.array(fc.string({ unit: "grapheme", minLength: 1 }), {
  maxLength: 3,
});
const route = fc.oneof(
  fc.constant({ view: "limits" } as const),
  fc.record({
    view: fc.constant("keys" as const),
    limit: text,
    prefix: text,
    order: fc.constantFrom("depleted" as const, "key" as const),
    cursors,
  }),
  fc.record({
    view: fc.constant("overrides" as const),
    limit: text,
    cursors,
  }),
  fc.record({
    view: fc.constant("denials" as const),
    limit: text,
    span: fc.constantFrom("hour" as const, "day" as const, "month" as const),
  }),
  fc.record({
    view: fc.constant("key" as const),
    limit: text,
    key: fc.option(text, { nil: undefined }),
  }),
) satisfies fc.Arbitrary<Route>;

test("the address of every view leads back to it", () => {
  fc.assert(
    fc.property(route, (route) => {
      expect(toRoute(toHash(route))).toEqual(route);
    }),
  );
});

test.each<[string, Partial<Route>]>([
  ["", { view: "limits" }],
  ["#", { view: "limits" }],
  ["#/", { view: "limits" }],
  ["#/signUp", { view: "keys", limit: "signUp", prefix: "", cursors: [] }],
  ["#/signUp/nothing", { view: "keys", limit: "signUp" }],
  ["#//keys", { view: "keys", limit: "" }],
  ["#/signUp/keys/bob", { view: "keys", prefix: "bob" }],
  ["#/signUp/key/", { view: "key", key: "" }],
  ["#/%/key/%E0", { view: "key", limit: "%", key: "%E0" }],
])("the address %j leads to a view", (hash, route) => {
  expect(toRoute(hash)).toMatchObject(route);
});
