import type { LimitConfig } from "../core/config.js";

/**
 * The key that the app's key function returned; null selects the limit that all share.
 *
 * @throws An `Error` if it is undefined, which a missing identity or a misspelt field gives.
 * Otherwise callers who should each have a limit of their own would silently share one.
 */
export function foundKey(
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

/** @throws An `Error` if the limit requires a key and there is none. */
export function checkKey(
  name: string,
  { requireKey = false }: LimitConfig,
  key: string | null | undefined,
): void {
  if (!requireKey || (typeof key === "string" && key !== "")) return;
  throw new Error(
    `Rate limit ${name}: it has requireKey, and the key is ${key === "" ? "empty" : String(key)}. The key must be a string that is not empty: pass { key: userId }, for example.`,
  );
}

/** @throws An `Error` if a key that is to be forgotten is not a string. */
export function requireKeyString(key: string): string {
  if (typeof key === "string") return key;
  throw new Error(
    `forget: the key must be a string, but is of type ${key === null ? "null" : typeof key}.`,
  );
}
