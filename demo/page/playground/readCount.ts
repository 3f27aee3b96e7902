/** A count that was typed, if it is one. */
export function readCount(text: string): number | undefined {
  const count = Number(text);
  return text.trim() !== "" && Number.isFinite(count) && count >= 0
    ? count
    : undefined;
}
