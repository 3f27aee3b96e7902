import { v, type Infer } from "convex/values";

/** A limit and one of its keys; without `key`, the balance that all callers share. */
export const vLimitKey = () =>
  v.object({ name: v.string(), key: v.optional(v.string()) });

export type LimitKey = Infer<ReturnType<typeof vLimitKey>>;
