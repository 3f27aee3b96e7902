import { v } from "convex/values";
import { defineSchema, defineTable } from "convex/server";
import {
  vResolution,
  vDeniedKey,
  vStats,
  vStoredConfig,
  vStoredOverride,
  vLimitKey,
  vRow,
  vSweepTask,
} from "../core/validators.js";

export default defineSchema({
  /**
   * The state of each limit: one row per key, or a tree of rows (state/spread/tree.ts). No row means
   * full.
   *
   * Written through `OneRow.save` and `Spread.save` by every call that takes or gives tokens;
   * deleted by `reset`, `resetAll`, `clearAll`, `forget` and the vacuum.
   * Read by all of those, `check`, `getValue` and `list`.
   */
  rateLimits: defineTable({
    ...vLimitKey().fields,
    ...vRow().fields,
    at: v.optional(v.commitTs()),
  })
    .index("name", ["name", "key", "shard"])
    .index("fullAt", ["fullAt"])
    .index("depleted", ["name", "fullAt"])
    // For all that is stored of a key, and for the rows that a transaction has written itself.
    .index("key", ["key", "name", "at"]),

  /**
   * Exceptions to the limits, made without a deploy. For each key, and for each whole limit, at most
   * one row per `layer`: setting another replaces it.
   *
   * Written by `setOverride`, `penalize`, `clearOverride` and `forget`; the vacuum deletes expired
   * ones.
   * Read by every call on a limit with `overrides: true`, `listOverrides` and `list`.
   */
  overrides: defineTable(vStoredOverride())
    .index("name", ["name", "key", "layer"])
    .index("key", ["key"])
    .index("expiresAt", ["forgetAt", "expiresAt"]),

  /**
   * Grants that can still be settled or released. For a concurrency limit this is its whole state:
   * the tokens held are those of the leases that have not expired.
   *
   * Written by `hold` and `holdAll`, and by `schedule` of the client; `renew` extends leases.
   * Deleted when they are settled or released; by `reset`, `resetAll`, `clearAll` and `forget`; by
   * the vacuum once they have expired. A settled hold with `once` stays until it expires, and so does
   * one of a scheduled function that was reset.
   * Read by id to be settled, released or renewed; by name and key by every call on a concurrency
   * limit, and by `list`; by `once` by `hold` and `holdAll`.
   */
  holds: defineTable({
    ...vLimitKey().fields,
    /**
     * The config under which it was taken. It is settled under the same one, unless the limit has a
     * current config, or the key was called with another plan since.
     */
    config: vStoredConfig(),
    /** The tokens that it took; absent if it took none: for an unlimited key, or in a dry run. */
    taken: v.optional(v.number()),
    /** Where and when the state of the key gave them: what is not used goes back there. */
    place: v.optional(
      v.object({ since: v.number(), shard: v.optional(v.number()) }),
    ),
    /** When it expires, in ms: from then on it cannot be settled. */
    expiresAt: v.number(),
    /** The function that the host app has scheduled for it. */
    scheduledId: v.optional(v.string()),
    /** The caller's id of the work, so that the work holds only once. */
    once: v.optional(v.string()),
    /** True if it can no longer be settled, and is kept for its `once` or its function. */
    isSettled: v.optional(v.boolean()),
  })
    .index("name", ["name", "key", "expiresAt"])
    .index("expiresAt", ["expiresAt"])
    // For all that is stored of a key, and for holds with `once`.
    .index("key", ["key", "name", "once", "expiresAt"])
    .index("scheduledId", ["scheduledId"]),

  /**
   * Calls of limits with `stats`: one event for each limit key of a call, appended, and changed
   * only to take a key out.
   *
   * Written by `rateLimit`, `limitAll`, `hold` and `holdAll`, and by `forget`; deleted when they
   * are folded into the stats. Read by the folds, `stats`, `topDenied` and `deniedOf`; a
   * transaction's own events by its calls with `stats`.
   */
  events: defineTable({
    ...vLimitKey().fields,
    /** When it was committed, in the order of all commits. */
    at: v.commitTs(),
    /** When the call was made, in ms. */
    time: v.number(),
    /**
     * Its number among the rows of its transaction, from 1 up; present only if all rows before it
     * are events, too. Then a look still shows everything that answers depend on.
     */
    nth: v.optional(v.number()),
    ...vStats().fields,
  })
    .index("name", ["name", "at"])
    .index("at", ["at"]),

  /**
   * How many calls of a limit were granted and denied: a row for each minute and for each hour in
   * which there was one.
   *
   * Written by the folds; the vacuum deletes minutes after a day, and hours after 30 days.
   * Read by the folds, `stats` and `deniedOf`.
   */
  stats: defineTable({
    name: v.string(),
    by: vResolution(),
    /** When the minute or the hour begins, in ms. */
    from: v.number(),
    ...vStats().fields,
  })
    .index("name", ["name", "by", "from"])
    .index("from", ["by", "from"]),

  /**
   * The keys that were denied most: a row for each limit and hour in which one was, with at most
   * 100 of them. Another row for those that a dry run would have denied.
   *
   * Written by the folds and by `forget`; the vacuum deletes them after 30 days.
   * Read by the folds, `topDenied` and `deniedOf`.
   */
  deniedKeys: defineTable({
    name: v.string(),
    /** True if a dry run would have denied them; absent if they were denied. */
    wouldDeny: v.optional(v.literal(true)),
    /** When the hour begins, in ms. */
    from: v.number(),
    keys: v.array(vDeniedKey()),
  })
    .index("name", ["name", "wouldDeny", "from"])
    .index("from", ["from"]),

  /**
   * Sweeps that are more than one transaction may do: keys that are being forgotten, and limits that
   * are being reset for all keys. A row for each, so that no job carries a key.
   *
   * Written by `forget`, `resetAll` and their job, which deletes the row at the end.
   * Read by these and `isSweeping`.
   */
  sweeps: defineTable({
    task: vSweepTask(),
    /** The key to forget, or the limit to reset. */
    of: v.string(),
    /** Where to continue in each store. */
    cursors: v.record(v.string(), v.string()),
    /** The job that continues. */
    jobId: v.optional(v.id("_scheduled_functions")),
  }).index("of", ["task", "of"]),
});
