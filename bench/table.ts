import { markdownTable } from "markdown-table";

/** A Markdown table: one line per row. */
export function table<Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => string>,
): string {
  const cells = Object.values(columns);
  return markdownTable([
    Object.keys(columns),
    ...rows.map((row) => cells.map((cell) => cell(row))),
  ]);
}
