import { defineSchema, defineTable } from "convex/server";
import { v } from "convex/values";
import { vStoredConfig } from "../core/vConfig.js";
import { vBy, vDeniedKey, vStats } from "../core/vStats.js";
import { vStoredOverride } from "../core/vOverride.js";
import { vDebit } from "../core/vDebit.js";
import { vLimitKey } from "../core/vLimitKey.js";
import { vRow } from "../core/vRow.js";

export default defineSchema({
  /**
   * The state of each limit: one row per key, or one per key and shard. No row
   * means full.
   * Written through `RowLedger.save` by all that takes or gives tokens; deleted by `reset`,
   * `clearAll` and the vacuum.
   * Read by all of those, `check`, `getValue` and `list`.
   */
  rateLimits: defineTable({
    ...vLimitKey().fields,
    ...vRow().fields,
  })
    .index("name", ["name", "key", "shard"])
    .index("fullAt", ["fullAt"])
    .index("depleted", ["name", "fullAt"]),

  /**
   * What was taken from asynchronous limits: one record for each transaction that takes from a
   * limit and key, appended and never changed by another. The balance follows from the newest
   * ones (core/replay.ts).
   * Written through `AsynchronousLedger.save`; deleted by its housekeeping, `clearAll` and the
   * vacuum.
   * Read by every call on such a limit, and by `list`.
   */
  debits: defineTable({
    ...vLimitKey().fields,
    /** When it was committed, in the order of all commits. */
    at: v.commitTs(),
    ...vDebit().fields,
  })
    .index("at", ["name", "key", "at"])
    .index("fullAt", ["fullAt"])
    .index("depleted", ["name", "fullAt"]),

  /**
   * Exceptions to the limits, made without a deploy: for each key, and for each limit, at most
   * one that lasts, two that end and one that is still to begin; and for a key the last of
   * its bans in a row.
   * Written by `setOverride`, `penalize` and `clearOverride`; the vacuum deletes expired ones.
   * Read by every call on a limit with `overrides: true`, `listOverrides` and `list`.
   */
  overrides: defineTable(vStoredOverride())
    .index("name", ["name", "key"])
    .index("expiresAt", ["forgetAt", "expiresAt"]),

  /**
   * Grants that can still be taken back or corrected; of a concurrency limit, all of its
   * state: what is held is the sum of those that have not expired.
   * Written by `hold`, and by `schedule` of the client; `renew` prolongs them. Deleted by
   * whatever settles them, by `releaseAll`, and by the vacuum once they have expired.
   * Read by all of those but the vacuum, by id; by name and key by every call on a
   * concurrency limit, and by `list`.
   */
  holds: defineTable({
    ...vLimitKey().fields,
    /** The config by which it was taken. It is settled by it, too, unless the limit has a present one. */
    config: vStoredConfig(),
    /** Whether the config came with the call. Then it is settled by it. */
    isInline: v.optional(v.boolean()),
    /** Tokens that it took; absent if it took none: of an unlimited key, or in a dry run. */
    taken: v.optional(v.number()),
    /** From when on it cannot be settled any more, in ms. */
    expiresAt: v.number(),
    /** The function that the host has scheduled for it. */
    scheduledId: v.optional(v.string()),
  })
    .index("name", ["name", "key", "expiresAt"])
    .index("expiresAt", ["expiresAt"])
    .index("scheduledId", ["scheduledId"]),

  /**
   * Calls of limits with `stats`: one record for each limit and key of a call, appended and
   * never changed.
   * Written by all that grants or denies; deleted when they are folded into the stats.
   * Read by the folds, `stats` and `topDenied`; the own transaction's by calls with `stats`.
   */
  events: defineTable({
    ...vLimitKey().fields,
    /** When it was committed, in the order of all commits. */
    at: v.commitTs(),
    /** When the call was made, in ms. */
    time: v.number(),
    /**
     * The how manieth row of its transaction it is, from 1 up, if all rows before it are events,
     * too. Then a look still shows all that answers depend on.
     */
    nth: v.optional(v.number()),
    ...vStats().fields,
  })
    .index("name", ["name", "at"])
    .index("at", ["at"]),

  /**
   * How many calls of a limit were granted and denied: a row for each minute and for each hour
   * in which there was one.
   * Written by the folds; the vacuum deletes minutes after a day, and hours after 30 days.
   * Read by the folds and `stats`.
   */
  stats: defineTable({
    name: v.string(),
    by: vBy(),
    /** When the minute or the hour begins, in ms. */
    from: v.number(),
    ...vStats().fields,
  })
    .index("name", ["name", "by", "from"])
    .index("from", ["by", "from"]),

  /**
   * The keys that were denied most: a row for each limit and hour in which one was, with at
   * most 100 of them.
   * Written by the folds; the vacuum deletes them after 30 days. Read by the folds and
   * `topDenied`.
   */
  deniedKeys: defineTable({
    name: v.string(),
    /** When the hour begins, in ms. */
    from: v.number(),
    keys: v.array(vDeniedKey()),
  })
    .index("name", ["name", "from"])
    .index("from", ["from"]),
});
