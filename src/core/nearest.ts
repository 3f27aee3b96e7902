/** Sorts words by how close they are to a misspelt word, the closest first. */
export function nearestFirst(word: string, words: readonly string[]): string[] {
  const distances = new Map(words.map((of) => [of, editsBetween(word, of)]));
  return [...words].sort((a, b) => distances.get(a)! - distances.get(b)!);
}

/** The word that a misspelt one most likely stands for; undefined if none is close. */
export function likeliest(
  word: string,
  words: readonly string[],
): string | undefined {
  const [nearest] = nearestFirst(word, words);
  if (nearest === undefined) return undefined;
  return 2 * editsBetween(word, nearest) <= word.length ? nearest : undefined;
}

/** The Levenshtein distance: how many letters to add, drop or change. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const changed = row[j]! + (b[j] === letter ? 0 : 1);
      next.push(Math.min(changed, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
