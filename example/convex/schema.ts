import { authTables } from "@convex-dev/auth/server";
import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  // Users, their accounts and sessions. Written by `auth`.
  ...authTables,

  /** What people say. Written by `messages`. */
  messages: defineTable({
    author: v.id("users"),
    /** As it was then, so that a list reads one row for each message. */
    name: v.string(),
    text: v.string(),
  }),

  /** Questions to the language model, and its answers. Written by `answers`. */
  answers: defineTable({
    asker: v.id("users"),
    question: v.string(),
    state: v.union(
      v.object({ kind: v.literal("writing") }),
      v.object({
        kind: v.literal("written"),
        text: v.string(),
        tokens: v.number(),
      }),
      v.object({ kind: v.literal("failed") }),
    ),
  }).index("asker", ["asker"]),

  /** Letters that wait for their turn, or have gone. Written by `mail`. */
  letters: defineTable({
    owner: v.id("users"),
    text: v.string(),
    /** When it is to go, in ms from the epoch. */
    dueAt: v.number(),
    /** What sends it. Absent only within the transaction that adds the letter. */
    scheduledId: v.optional(v.id("_scheduled_functions")),
    sentAt: v.optional(v.number()),
  }).index("owner", ["owner"]),
});
