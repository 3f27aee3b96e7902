import { v, type Infer } from "convex/values";

/** Done, or denied: the same call succeeds in `retryAfter` ms, if nobody else takes tokens. */
export const vDone = v.union(
  v.object({ ok: v.literal(true) }),
  v.object({ ok: v.literal(false), retryAfter: v.number() }),
);

export type Done = Infer<typeof vDone>;
