import { formatBalance } from "../../dashboard/page/words.js";

/** `1 token`, `5 tokens`. */
export function plural(count: number, noun: string): string {
  return `${formatBalance(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Jobs and answers are told apart by the number at the end of their label. */
export function numberOf(label: string): number {
  return Number(/\d+$/.exec(label)?.[0] ?? 0);
}
