/** @throws An `Error` that names the limit, the field and the value. */
export function requireAbove0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isWithin(value, Number.MIN_VALUE)) return;
  reject(name, field, "a finite number above 0", value);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireAtLeast0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isWithin(value, 0)) return;
  reject(name, field, "a finite number of at least 0", value);
}

/** The most bytes of a key, or of an operator's note, in UTF-8. */
const MAX_KEY_BYTES = 1024;

/**
 * @throws An `Error` if the text is too long. It names the limit, the field and the length, but
 * not the text, which may come from a stranger.
 */
export function requireShort(
  name: string,
  field: string,
  text: string | undefined,
): void {
  if (text === undefined || isShort(text)) return;
  throw new Error(
    `Rate limit ${name}: ${field} must be at most ${MAX_KEY_BYTES} bytes long in UTF-8, but has ${bytesOf(text)}.`,
  );
}

/** Whether a text is short enough for a key. */
export function isShort(text: string): boolean {
  // A shortcut: no UTF-16 unit takes more than three bytes.
  return text.length * 3 <= MAX_KEY_BYTES || bytesOf(text) <= MAX_KEY_BYTES;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Whether a value is a finite number from `least` to `most`. */
export function isWithin(
  value: unknown,
  least: number,
  most: number = Number.MAX_VALUE,
): boolean {
  return typeof value === "number" && value >= least && value <= most;
}

/** @throws An `Error` that names the limit, the field and the value. */
export function reject(
  name: string,
  field: string,
  wanted: string,
  value: unknown,
): never {
  throw new Error(
    `Rate limit ${name}: ${field} must be ${wanted}, but is ${shown(value)}.`,
  );
}

/** Formats a value for a message. */
export function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

/** Formats words for a message: `"a", "b" or "c"`. */
export function oneOf(words: readonly string[]): string {
  const list = words.map((word) => `"${word}"`).join(", ");
  return list.replace(/, ([^,]*)$/, " or $1");
}
