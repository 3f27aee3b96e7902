import { v } from "convex/values";
import type { StoredConfig } from "../core/config.js";
import { configByRule } from "../core/limit.js";
import { phasesOf } from "../core/phases.js";
import { internalMutation } from "../component/_generated/server.js";
import { creditByRows } from "../stores/rows/credit.js";
import { RowLedger } from "../stores/rows/ledger.js";
import { parseRow } from "../stores/rows/stored.js";

/**
 * Gives tokens back for a mutation that has been committed, where calls overlap and take long: in a
 * short mutation, which the scheduler retries as often as it conflicts. Goes by the rule of row 0.
 * Does nothing if the key is no longer split: it was reset, or its limit has changed.
 */
export const giveBack = internalMutation({
  args: {
    /** Row 0 of the key. */
    root: v.id("rateLimits"),
    count: v.number(),
    /** The row to try first. Random by default. */
    shard: v.optional(v.number()),
    /** When they were given back, in ms. */
    now: v.number(),
  },
  returns: v.null(),
  handler: async (ctx, { root, count, shard, now }): Promise<null> => {
    const doc = await ctx.db.get("rateLimits", root);
    const row = doc === null ? undefined : parseRow(doc);
    if (doc === null || row?.rule === undefined) return null;
    const { name, key } = doc;
    const byRule = configByRule(row.rule, row.ts);
    const config: StoredConfig = { ...byRule, shards: "auto" };
    const phases = phasesOf(name, key, config, [], now);
    const ledger = new RowLedger(ctx, { name, key }, phases, now);
    const { writes } = await creditByRows(ledger, count, Math.random, shard);
    ledger.set(writes);
    await ledger.save(ctx);
    return null;
  },
});
