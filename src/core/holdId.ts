/** The id of a hold, as apps keep it: that of its row, and the name of its limit. */
export function toHoldId(rowId: string, name: string): string {
  return `${rowId}:${name}`;
}

/** What an id says. Without a name it is not the id of a hold. */
export function parseHoldId(id: string): { rowId: string; name?: string } {
  const end = id.indexOf(":");
  return end === -1
    ? { rowId: id }
    : { rowId: id.slice(0, end), name: id.slice(end + 1) };
}
