/** A Markdown table: one line per row, columns of equal width. */
export function table<Row>(
  rows: readonly Row[],
  columns: Record<string, (row: Row) => string>,
): string {
  const lines = [
    Object.keys(columns),
    ...rows.map((row) => Object.values(columns).map((cell) => cell(row))),
  ];
  const widths = lines[0]!.map((_, i) =>
    Math.max(...lines.map((line) => line[i]!.length)),
  );
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const [header, ...body] = lines.map(format);
  const rule = format(widths.map((width) => "-".repeat(width)));
  return [header, rule, ...body].join("\n");
}
