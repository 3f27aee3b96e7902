import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  /** Written by mutations that insert before they ask a limiter. Read by nobody. */
  log: defineTable({ text: v.string() }),
  /** The limits by hand: one row each. Written and read by `byHand`. */
  balances: defineTable({
    name: v.string(),
    key: v.string(),
    value: v.number(),
    ts: v.number(),
  }).index("name", ["name", "key"]),
});
