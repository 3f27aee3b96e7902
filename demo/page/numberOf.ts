/** Jobs and answers are told apart by the number at the end of their label. */
export function numberOf(label: string): number {
  return Number(/\d+$/.exec(label)?.[0] ?? 0);
}
