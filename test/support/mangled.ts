import fc from "fast-check";

/**
 * One of the JSONs, as text, with up to two of its values replaced or left out, however deep they
 * are. Some are replaced by these words.
 */
export function mangled(
  jsons: readonly unknown[],
  words: readonly string[],
): fc.Arbitrary<string> {
  const usual = [null, true, -1, 0, 1, 0.5, 2 ** 32, 1e300, [], {}, [{}]];
  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...usual, ...words) },
    { weight: 1, arbitrary: fc.jsonValue() },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  const changes = fc.array(fc.tuple(fc.nat(), value), { maxLength: 2 });
  return fc
    .tuple(fc.constantFrom(...jsons), changes)
    .map(([json, changes]) =>
      changes.reduce(
        (text, [at, value]) => replaceAt(text, at, value),
        JSON.stringify(json),
      ),
    );
}

function replaceAt(text: string, at: number, value: unknown): string {
  if (text === "") return text;
  const values = text.match(/"[^"]*"|[\d.]+|true|null|[[{]/g)?.length ?? 1;
  let seen = 0;
  const changed: unknown = JSON.parse(text, (_name, found: unknown) =>
    seen++ === at % values ? value : found,
  );
  return JSON.stringify(changed) ?? "";
}
