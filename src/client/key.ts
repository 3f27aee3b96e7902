import type { LimitConfig } from "../core/config.js";

/**
 * Turns what the app's key function returned into a key. Null selects the limit that all share.
 *
 * @throws An `Error` for undefined, which comes from a missing identity or a misspelt field: such
 * callers would silently share one limit.
 */
export function requireFoundKey(
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

/** @throws An `Error` if the key to forget is not a string. */
export function requireKeyString(key: string): string {
  if (typeof key === "string") return key;
  throw new Error(
    `forget: the key must be a string, but is of type ${key === null ? "null" : typeof key}.`,
  );
}
