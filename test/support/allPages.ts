/** Reads all pages of a list. */
export async function allPages<T>(
  read: (
    cursor: string | null,
  ) => Promise<{ page: T[]; isDone: boolean; continueCursor: string }>,
): Promise<T[]> {
  const listed: T[] = [];
  let next = await read(null);
  for (let pages = 1; pages < 2000; pages++) {
    listed.push(...next.page);
    if (next.isDone) return listed;
    next = await read(next.continueCursor);
  }
  throw new Error("It does not end.");
}
