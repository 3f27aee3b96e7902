/** The id of a hold, as apps keep it: the id of its row and the name of its limit. */
export function toHoldId(docId: string, name: string): string {
  return `${docId}:${name}`;
}

/** Splits the id of a hold. A result without `name` is not the id of a hold. */
export function parseHoldId(id: string): { docId: string; name?: string } {
  const end = id.indexOf(":");
  return end === -1
    ? { docId: id }
    : { docId: id.slice(0, end), name: id.slice(end + 1) };
}
