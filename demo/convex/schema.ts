import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  /** Written and listed by `messages`. */
  messages: defineTable({ session: v.string(), text: v.string() }).index(
    "session",
    ["session"],
  ),

  /** Work that waits for its tokens, or is done. Written by `jobs`. */
  jobs: defineTable({
    session: v.string(),
    label: v.string(),
    /** When it is to run, in ms from the epoch. */
    dueAt: v.number(),
    /** When it ran. Absent: it waits, or was cancelled. */
    ranAt: v.optional(v.number()),
    cancelled: v.optional(v.literal(true)),
    /** What runs it. Absent only within the transaction that adds the job. */
    scheduledId: v.optional(v.id("_scheduled_functions")),
  }).index("session", ["session"]),

  /** Answers of a language model, written or being written. Written by `answers`. */
  answers: defineTable({
    session: v.string(),
    /** Where the page shows it, from 0 up. */
    place: v.number(),
    /** The ids of its holds. */
    holds: v.object({ place: v.string(), tokens: v.string() }),
    /** When they expire, in ms from the epoch. */
    expiresAt: v.number(),
    /** How many tokens it will have when it is done, which only the model knows. */
    length: v.number(),
    /** What it has cost. Absent: nobody has settled it. */
    used: v.optional(v.number()),
    crashed: v.optional(v.literal(true)),
  }).index("session", ["session"]),
});
