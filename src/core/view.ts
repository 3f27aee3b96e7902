import type { Infer } from "convex/values";
import type { Limit } from "./limit.js";
import type { vRow } from "./validators.js";

/** A stored row of a limit key. A lease of a concurrency limit is shown as a row, too. */
export type Row = Infer<ReturnType<typeof vRow>> & {
  /** For a lease, when it ends. */
  endsAt?: number | undefined;
};

/** What is stored of a limit key, read under the rule of whoever asks. */
export interface View {
  /** The balance of the whole limit at a time, if nobody uses it before. */
  balance(limit: Limit, time: number): number;
  /** About when this many more tokens have arrived. */
  arrival(limit: Limit, tokens: number, from: number): number;
  /** Whether the key has been full for an hour, so that it begins anew. */
  isIdle(time: number): boolean;
  /** What to write so that this many tokens are left, and the view after that. */
  leaving(limit: Limit, left: number, now: number): Change;
}

export type Change = { writes: readonly Row[]; view: View };
