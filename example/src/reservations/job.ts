import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";

export type Job = FunctionReturnType<typeof api.jobs.list>[number];

/** Jobs are told apart by the number at the end of their label. */
export function numberOf(label: string): number {
  return Number(/\d+$/.exec(label)?.[0] ?? 0);
}
