/** In place of `Math.random`: these numbers in order, then 0. */
export function draws(...numbers: number[]): () => number {
  return () => numbers.shift() ?? 0;
}
