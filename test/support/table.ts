/** The cells of a table that is written as text: a row in each line, with `|` between its cells. */
export const table = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
