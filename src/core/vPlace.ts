import { v, type Infer } from "convex/values";

/** A limit and one of its keys; without a key, what all share. */
export const vPlace = () =>
  v.object({ name: v.string(), key: v.optional(v.string()) });

export type Place = Infer<ReturnType<typeof vPlace>>;
