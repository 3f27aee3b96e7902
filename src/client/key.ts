/**
 * What a key function of the app returned: a key, or null for the limit that all share.
 *
 * @throws An `Error` if it is undefined. That is what a missing identity or a misspelt
 * field comes to, and then callers who should each have a limit of their own would share
 * one without a word.
 */
export function requireKey(
  name: string,
  key: string | null | undefined,
): string | undefined {
  if (key === undefined) {
    throw new Error(
      `Rate limit ${name}: the key function returned undefined. Return a key, or null for one limit that all share.`,
    );
  }
  return key ?? undefined;
}
