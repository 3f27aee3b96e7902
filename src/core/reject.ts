/** @throws An `Error` that names the limit, the field and the value. */
export function requireAbove0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isFiniteNumber(value) && value > 0) return;
  reject(name, field, "a finite number above 0", value);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireAtLeast0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isFiniteNumber(value) && value >= 0) return;
  reject(name, field, "a finite number of at least 0", value);
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
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

/** A value, as a message shows it. */
export function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}

/** The words, as a message lists them. */
export function oneOf(words: readonly string[]): string {
  const [last, ...others] = words.map((word) => `"${word}"`).reverse();
  return others.length === 0
    ? last!
    : `${others.reverse().join(", ")} or ${last!}`;
}
