import type { LimitKey } from "./validators.js";

/** A unique id of a limit key. */
export function limitKeyId({ name, key }: LimitKey): string {
  return JSON.stringify([name, key ?? null]);
}

/** The limit keys of rows, each once. */
export function limitKeysOf(rows: readonly LimitKey[]): LimitKey[] {
  const byId = new Map(
    rows.map(({ name, key }) => [limitKeyId({ name, key }), { name, key }]),
  );
  return [...byId.values()];
}

/** A hash of a limit key, from 0 up to but not including 2^32: FNV-1a, 32 bits. */
export function hashOf(name: string, key: string | undefined): number {
  const text = limitKeyId({ name, key });
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * Whether a key belongs to a share of the keys of a limit, from 0 (none) to 1 (all). A key that
 * belongs to a share belongs to every larger one.
 *
 * The last letters of a text hardly change the high bits of its hash. So the bits are mixed, as at
 * the end of MurmurHash3: keys that differ only in a number are then spread evenly, too.
 */
export function isInShare(
  name: string,
  key: string | undefined,
  share: number,
): boolean {
  let mixed = hashOf(name, key);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  return (mixed >>> 0) / 2 ** 32 < share;
}
