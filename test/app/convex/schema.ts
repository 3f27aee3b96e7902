import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";

export default defineSchema({
  /** Work that waits for its tokens, or is done. Written by `jobs`. */
  jobs: defineTable({
    owner: v.string(),
    label: v.string(),
    /** When it ran, in ms since the epoch. Absent: it waits, or was cancelled. */
    ranAt: v.optional(v.number()),
  }).index("owner", ["owner"]),

  /** A row for each grant, and for each job that has run. Written by `grants`. */
  grants: defineTable({ load: v.string(), name: v.string(), id: v.string() })
    .index("load", ["load", "name"])
    .index("id", ["load", "id"]),
  runs: defineTable({ load: v.string(), name: v.string(), id: v.string() }) //
    .index("load", ["load", "name"]),

  /** Written by `denials`, a row for each, and for each warning. */
  denials: defineTable({ name: v.string() }).index("name", ["name"]),
});
