/** Sums numbers without piling up rounding errors: Neumaier's summation. */
export function sum(numbers: readonly number[]): number {
  let all = 0;
  let lost = 0;
  for (const n of numbers) {
    const next = all + n;
    lost += Math.abs(all) >= Math.abs(n) ? all - next + n : n - next + all;
    all = next;
  }
  return all + lost;
}
