import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

/** What the recipes keep, besides their limits. */
export default defineSchema({
  loginCodes: defineTable({ email: v.string(), code: v.string() }).index(
    "email",
    ["email"],
  ),
  users: defineTable({ email: v.string() }),
  accounts: defineTable({
    plan: v.union(v.literal("free"), v.literal("pro")),
  }),
  exports: defineTable({ accountId: v.id("accounts") }),
  questions: defineTable({ text: v.string() }),
  messages: defineTable({ author: v.string(), text: v.string() }),
});
